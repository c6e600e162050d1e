// Run as it is, and bundled as ESM and as CommonJS, which has no await here.
import Fastify from 'fastify'
import * as plugin from 'fastify-versioning'

import { smoke } from './smoke.mjs'

smoke(Fastify, plugin).then((count) => console.log(`${count} cases`))
