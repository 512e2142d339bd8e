import { accountOperations } from './operations/account.ts'
import { adminOperations } from './operations/admin.ts'
import { assetsOperations } from './operations/assets.ts'
import { editOperations } from './operations/edit.ts'
import { gameOperations } from './operations/game.ts'
import { infoOperations } from './operations/info.ts'
import { proxyOperations } from './operations/proxy.ts'
import { teamOperations } from './operations/team.ts'

export { ownOperations } from './operations/own.ts'

export const operations = {
  ...accountOperations,
  ...adminOperations,
  ...assetsOperations,
  ...editOperations,
  ...gameOperations,
  ...infoOperations,
  ...proxyOperations,
  ...teamOperations,
} as const
