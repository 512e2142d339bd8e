import { pathOfPicture } from '@capstan/contract/asset-address'
import type { InstanceDeps } from '../../instances/deps.ts'
import { readIndexPage } from '../../server/settings/service.ts'
import { listGamesForIndexPage } from './service.ts'

export function createIndexPageReader(deps: InstanceDeps) {
  return async () => {
    const [page, previewed] = await Promise.all([readIndexPage(deps), listGamesForIndexPage(deps)])
    return {
      ...page,
      games: previewed.map(({ id, title, summary, posterHash }) => ({
        id,
        title,
        summary,
        poster: pathOfPicture(posterHash, 'poster'),
      })),
    }
  }
}
