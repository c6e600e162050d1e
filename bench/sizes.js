/** Whether this is the smoke mode: everything once, next to no measuring, and of what is alike only one. */
export const isSmoke = process.argv.includes('--smoke')

const SMOKE = {
  wire: { duels: 1, starts: 1, rounds: 1, warmUp: 40, calls: 40 },
  calls: { rounds: 1, calls: 100 },
  growth: { routes: [10], versions: [5], versionedRoutes: 10, turns: () => 1, requests: 20, links: 20 },
  changes: { routes: 5, versions: 3, turns: 1 },
  documents: { routes: 10, versions: 2, turns: 1 },
  attack: { requests: 100 }
}

/** Enough to tell hundredths apart, and few enough for eight minutes on two cores. */
const FULL = {
  wire: { duels: Infinity, starts: 3, rounds: 7, warmUp: 6_000, calls: 1_000 },
  calls: { rounds: 40, calls: 10_000 },
  growth: {
    routes: [10, 100, 1_000, 10_000],
    versions: [1, 5, 20],
    versionedRoutes: 1_000,
    turns: (count) => count < 1_000 ? 5 : 3,
    requests: 2_000,
    links: 100_000
  },
  changes: { routes: 200, versions: 10, turns: 5 },
  documents: { routes: 1_000, versions: 5, turns: 5 },
  attack: { requests: 1_000_000 }
}

/** How often what is done. */
export const sizes = isSmoke ? SMOKE : FULL
