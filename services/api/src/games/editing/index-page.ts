import { pictureAddress } from '@capstan/contract/asset-address'
import type { InstanceDeps } from '../../instances/deps.ts'
import { readIndexPage } from '../../server/settings/service.ts'
import { listPreviewedGames } from './service.ts'

export function createIndexPageReader(deps: InstanceDeps) {
  return async () => {
    const [page, previewed] = await Promise.all([readIndexPage(deps), listPreviewedGames(deps)])
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
