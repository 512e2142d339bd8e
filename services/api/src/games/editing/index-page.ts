import { pictureAddress } from '@capstan/contract/asset-address'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createSettingsService } from '../../server/settings/service.ts'
import { createGameService } from './service.ts'

/** Returns a reader of what the index page shows: the platform's settings and the previews of public games. */
export function createIndexPageReader(deps: InstanceDeps) {
  const settings = createSettingsService(deps)
  const games = createGameService(deps)
  return async () => {
    const [page, previewed] = await Promise.all([settings.readIndexPage(), games.listPreviewed()])
    return {
      ...page,
      games: previewed.map(({ id, title, summary, posterHash }) => ({
        id,
        title,
        summary,
        poster: pictureAddress(posterHash, 'poster'),
      })),
    }
  }
}
