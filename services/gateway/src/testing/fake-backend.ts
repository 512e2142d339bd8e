import type {
  ProxyConnectionReport,
  ProxyTarget,
  RouteTarget,
  SessionIdentity,
  SessionQuestion,
} from '@capstan/contract/gateway-backend'
import type { Backend } from '../backend.ts'

/** Backend for tests. Its calls return the values in these maps. */
export interface FakeBackend extends Backend {
  readonly sessions: Map<string, SessionIdentity>
  readonly games: Set<number>
  readonly targets: Map<string, ProxyTarget>
  readonly routes: Map<string | number, RouteTarget>
  readonly reports: Map<string, ProxyConnectionReport>
  readonly questions: SessionQuestion[]
  readonly asked: Record<'session' | 'gameExists' | 'proxyTarget' | 'route' | 'reportConnections', number>
  isAway: boolean
}

export const userIds = {
  player: '11111111-1111-4111-8111-111111111111',
  monitor: '22222222-2222-4222-8222-222222222222',
  admin: '33333333-3333-4333-8333-333333333333',
  banned: '44444444-4444-4444-8444-444444444444',
} as const

/**
 * Creates a backend that knows the games 7 and 8, the cookies `session=player`, `session=monitor`, `session=admin` and
 * `session=banned`, and two API tokens.
 */
export function createFakeBackend(): FakeBackend {
  const fake: FakeBackend = {
    sessions: new Map([
      ['session=player', { userId: userIds.player, role: 'User' }],
      ['session=monitor', { userId: userIds.monitor, role: 'Monitor' }],
      ['session=admin', { userId: userIds.admin, role: 'Admin' }],
      ['session=banned', { userId: userIds.banned, role: 'Banned' }],
      ['Bearer of.all', { userId: userIds.admin, role: 'Monitor' }],
      ['Bearer of.seven', { userId: userIds.admin, role: 'Monitor', gameId: 7 }],
    ]),
    games: new Set([7, 8]),
    targets: new Map(),
    routes: new Map(),
    reports: new Map(),
    questions: [],
    asked: { session: 0, gameExists: 0, proxyTarget: 0, route: 0, reportConnections: 0 },
    isAway: false,
    async session(question) {
      note('session')
      fake.questions.push(question)
      return fake.sessions.get(question.authorization ?? question.cookie) ?? null
    },
    async gameExists(gameId) {
      note('gameExists')
      return fake.games.has(gameId)
    },
    async proxyTarget(instanceId) {
      note('proxyTarget')
      return fake.targets.get(instanceId) ?? { state: 'unknown' }
    },
    async route(route) {
      note('route')
      return fake.routes.get('label' in route ? route.label : route.port) ?? { state: 'unknown' }
    },
    async reportConnections(reports) {
      note('reportConnections')
      for (const report of reports) fake.reports.set(report.id, report)
    },
  }

  function note(question: keyof FakeBackend['asked']): void {
    fake.asked[question] += 1
    if (fake.isAway) throw new Error('The api is away')
  }

  return fake
}
