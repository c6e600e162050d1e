// Run as it is, and bundled as ESM and as CommonJS, which has no await here.
import Fastify from 'fastify'
import * as plugin from 'fastify-versioning'
import * as client from 'fastify-versioning/client'
import * as documents from 'fastify-versioning/openapi'

import { smoke } from './smoke.mjs'

smoke(Fastify, plugin, documents, client).then((count) => console.log(`${count} cases`))
