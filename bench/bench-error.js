/** What the bench says and ends with: a wrong answer, a port that is taken, a child that fails. */
export class BenchError extends Error {
  name = 'BenchError'
}
