import { cpuEachMs, cpuText, type Job, type Measured, measure } from '../bench.ts'
import { browserHeaders, faultsOf, type LoadRequest } from '../load.ts'
import { alternate } from '../statistics.ts'
import { atMost, fineMilliseconds } from '../table.ts'

const viewsPerRound = 2_500

export const viewsJob: Job = {
  name: 'views',
  about: "reads of a team's own board, and first and later views of challenges, by CPU of api and database",
  async run(bench) {
    const api = await bench.api()
    const played = await bench.addGame({ challenges: 50, solvedByTeam: 16 })
    const fresh = await bench.addGame({ challenges: 100, solvedByTeam: 0, isSeen: false })
    const ownBoards = Array.from({ length: played.size.teams }, (_, team): LoadRequest => {
      return { path: `/api/game/${played.gameId}/details`, headers: { ...browserHeaders, cookie: played.cookie(team) } }
    })
    const readOwnBoards = () => measure(api, { requests: ownBoards, amount: viewsPerRound })
    await readOwnBoards()
    const own = [await readOwnBoards(), await readOwnBoards()]
    const view = (first: number) =>
      measure(api, {
        requests: fresh
          .unsolved(first, viewsPerRound)
          .map(({ team, challenge }) => ({ path: fresh.path(challenge), headers: { cookie: fresh.cookie(team) } })),
      })
    let seen = 0
    const firstViews = () => {
      seen += viewsPerRound
      return view(seen - viewsPerRound)
    }
    const views = await alternate(2, firstViews, () => view(0))
    const row = (job: string, reports: readonly Measured[], max: number) =>
      atMost(job, cpuEachMs(reports), max, fineMilliseconds, { cpu: cpuText(reports) })
    return {
      rows: [
        row('own board', own, 0.4),
        row('challenge, first view', views.ours, 1.2),
        row('challenge, later views', views.limit, 0.5),
      ],
      faults: faultsOf('views', [...own, ...views.ours, ...views.limit]),
    }
  },
}
