import type { Job } from '../bench.ts'
import { cpuRow, measureLoad } from '../measure.ts'
import { measureAlternately } from '../statistics.ts'

const viewsPerRound = 2_500

export const job: Job = {
  name: 'views',
  about: "reads of a team's own board, and first and later views of challenges, by CPU of api and database",
  async run(bench) {
    const api = await bench.api()
    const played = await bench.addGame()
    const fresh = await bench.addGame({ challenges: 100, solvedByTeam: 0, isSeen: false })
    const readOwnBoards = () => measureLoad(api, { requests: played.ownBoards(), amount: viewsPerRound })
    const own = await measureAlternately(1, readOwnBoards, readOwnBoards)
    let seen = 0
    const viewFirst = () => {
      seen += viewsPerRound
      return measureLoad(api, { requests: fresh.views(seen - viewsPerRound, viewsPerRound) })
    }
    const viewLater = () => measureLoad(api, { requests: fresh.views(0, viewsPerRound) })
    const views = await measureAlternately(2, viewFirst, viewLater)
    return [
      cpuRow('own board', [...own.ours, ...own.limit], 0.4),
      cpuRow('challenge, first view', views.ours, 1.2),
      cpuRow('challenge, later views', views.limit, 0.5),
    ]
  },
}
