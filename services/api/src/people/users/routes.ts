import { userOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentProfile } from '../accounts/service.ts'
import { presentUserPage } from './presenter.ts'
import {
  addUsers,
  deleteUser,
  endUserSessions,
  findUsers,
  getUser,
  listUsers,
  resetUserPassword,
  searchUsers,
  updateUser,
} from './service.ts'

/** User routes for admins. Rules: docs/contract/admin.md#users. */
export const userRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, sessions: app.sessions }

  app.operation(operations.listUsers, async ({ query }) => {
    const { rows, total } = await listUsers(deps, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 })
    return presentUserPage(rows, total)
  })

  app.operation(ownOperations.findUsers, async ({ query, ...call }) => {
    const filter = { sort: userOrders[0], descending: true, count: PageLimits.default, skip: 0, ...query }
    const { rows, total } = await app.searchInTurn(call, () => findUsers(deps, filter))
    return presentUserPage(rows, total)
  })

  app.operation(operations.searchUsers, async ({ query, ...call }) =>
    presentUserPage(await app.searchInTurn(call, () => searchUsers(deps, query.hint))),
  )

  app.operation(operations.getUser, async ({ params }) => presentProfile(await getUser(deps, params.id)))

  app.operation(operations.addUsers, async ({ user, body, request, record }) => {
    await addUsers(deps, user, body, request.language)
    record(`Added or overwrote ${body.length} users`)
  })

  app.operation(operations.updateUser, async ({ user, params, body, request, record }) => {
    const { userName } = await getUser(deps, params.id)
    await updateUser(deps, user, params.id, body, request.language)
    record(`Changed user "${userName}"${body.role ? `, role ${body.role}` : ''}`)
  })

  app.operation(operations.deleteUser, async ({ user, params, record }) => {
    const { userName } = await getUser(deps, params.id)
    await deleteUser(deps, user, params.id)
    record(`Deleted user "${userName}"`)
  })

  app.operation(ownOperations.endUserSessions, async ({ user, params, record }) => {
    const { userName } = await getUser(deps, params.id)
    await endUserSessions(deps, user, params.id)
    record(`Ended the sessions of user "${userName}"`)
  })

  app.operation(operations.resetUserPassword, async ({ user, params, record }) => {
    const { userName } = await getUser(deps, params.id)
    const password = await resetUserPassword(deps, user, params.id)
    record(`Reset the password of user "${userName}"`)
    return password
  })
}
