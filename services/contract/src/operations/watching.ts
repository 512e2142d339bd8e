import { Type } from 'typebox'
import { CaptureHealth, CountedCapture, ProxiedConnection } from '../captures.ts'
import { GameDesk } from '../desk.ts'
import { Id, Pages } from '../kit.ts'
import { ContainerLimits, InputLimits, notEmpty } from '../limits.ts'
import { operation } from '../operation.ts'

/** Calls for monitors about recordings and connections. */
export const watchingOperations = {
  getCaptureHealth: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/games/{id}/captures/health',
    access: 'monitor',
    summary: "Health and loss of a game's captures",
    description: 'State of traffic recording, of each instance, and missing data. Empty for an unknown game.',
    params: Type.Object({ id: Id }),
    response: CaptureHealth,
    errors: [401, 403, 429, 500],
  }),
  listCountedCaptures: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/captures/{cid}/{pid}/counted',
    access: 'monitor',
    summary: 'Capture files of a team with their packets',
    description: 'The files of `GET /api/game/captures/{cid}/{pid}`.',
    params: Type.Object({ cid: Id, pid: Id }),
    response: Type.Array(CountedCapture),
    errors: [401, 403, 429, 500],
  }),
  downloadMergedCaptures: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/captures/{cid}/{pid}/merged',
    access: 'monitor',
    rateLimit: 'concurrency',
    summary: 'All captures of a team as one file',
    description:
      'A pcapng file with all packets in the order of time, and an interface for each container. 404 if there are none.',
    params: Type.Object({ cid: Id, pid: Id }),
    query: Type.Object({
      container: Type.Optional(
        Type.String({
          ...notEmpty,
          maxLength: ContainerLimits.maxContainerNameLength,
          description: 'Only this container. `main` if the files name none.',
        }),
      ),
    }),
    download: 'application/octet-stream',
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listConnections: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/games/{id}/connections',
    access: 'monitor',
    summary: "Connections to a game's instances through the proxy",
    description: 'Newest first. Empty for an unknown game.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      challenge: Type.Optional(Id),
      participation: Type.Optional(Id),
      open: Type.Optional(Type.Boolean({ default: false, description: 'Only open connections.' })),
      hint: Type.Optional(
        Type.String({
          ...notEmpty,
          maxLength: InputLimits.maxSearchLength,
          description: 'Part of the name of a team, user or challenge, or of the address.',
        }),
      ),
      count: Type.Optional(Pages.count()),
      skip: Type.Optional(Pages.skip),
    }),
    response: Type.Array(ProxiedConnection),
    errors: [400, 401, 403, 429, 500],
  }),
  getGameDesk: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/desk',
    access: 'monitor',
    summary: 'Overview of a game for monitors',
    description: 'Also before its start. Up to 3 s old.',
    params: Type.Object({ id: Id }),
    response: GameDesk,
    errors: [401, 403, 404, 429, 500],
  }),
} as const
