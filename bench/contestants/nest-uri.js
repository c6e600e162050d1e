import { VersioningType } from '@nestjs/common'

import { listenWith } from './nest-app.js'

export default function listen (address) {
  return listenWith({ type: VersioningType.URI, prefix: false }, address)
}
