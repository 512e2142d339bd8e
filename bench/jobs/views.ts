import type { Job } from '../bench.ts'
import { createCpuRow, measureCpuOfLoad } from '../measure.ts'
import { measureAlternately } from '../statistics.ts'

const viewsPerRound = 2_500

export const job: Job = {
  name: 'views',
  about: "reads of a team's own board, and first and later views of challenges, by CPU of api and database",
  async run(bench) {
    const api = await bench.api()
    const played = await bench.addGame()
    const fresh = await bench.addGame({ challenges: 100, solvedByTeam: 0, isSeen: false })
    const readOwnBoards = () => measureCpuOfLoad(api, { requests: played.ownBoards(), amount: viewsPerRound })
    const own = await measureAlternately(1, readOwnBoards, readOwnBoards)
    let seen = 0
    const viewFirst = () => {
      seen += viewsPerRound
      return measureCpuOfLoad(api, { requests: fresh.views(seen - viewsPerRound, viewsPerRound) })
    }
    const viewLater = () => measureCpuOfLoad(api, { requests: fresh.views(0, viewsPerRound) })
    const views = await measureAlternately(2, viewFirst, viewLater)
    return [
      createCpuRow('own board', [...own.ours, ...own.limit], 0.4),
      createCpuRow('challenge, first view', views.ours, 1.2),
      createCpuRow('challenge, later views', views.limit, 0.5),
    ]
  },
}
