import { userOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentProfile } from '../accounts/service.ts'
import { presentUserPage } from './presenter.ts'
import { createUserService } from './service.ts'

/** User routes for admins. Rules: docs/contract/admin.md#users. */
export const userRoutes: FastifyPluginAsync = async (app) => {
  const users = createUserService({ ...app.deps, sessions: app.sessions })

  app.operation(operations.listUsers, async ({ query }) => {
    const { rows, total } = await users.listPage({ count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 })
    return presentUserPage(rows, total)
  })

  app.operation(ownOperations.findUsers, async ({ query }) => {
    const { rows, total } = await users.findBy({
      ...{ sort: userOrders[0], descending: true, count: PageLimits.usual, skip: 0 },
      ...query,
    })
    return presentUserPage(rows, total)
  })

  app.operation(operations.searchUsers, async ({ query }) => presentUserPage(await users.search(query.hint)))

  app.operation(operations.getUser, async ({ params }) => presentProfile(await users.get(params.id)))

  app.operation(operations.addUsers, async ({ user, body, record }) => {
    await users.addMany(user, body)
    record(`Added or overwrote ${body.length} users`)
  })

  app.operation(operations.updateUser, async ({ user, params, body, record }) => {
    const { userName } = await users.get(params.id)
    await users.update(user, params.id, body)
    record(`Changed user "${userName}"${body.role ? `, role ${body.role}` : ''}`)
  })

  app.operation(operations.deleteUser, async ({ user, params, record }) => {
    const { userName } = await users.get(params.id)
    await users.delete(user, params.id)
    record(`Deleted user "${userName}"`)
  })

  app.operation(operations.resetUserPassword, async ({ user, params, record }) => {
    const { userName } = await users.get(params.id)
    const password = await users.resetPassword(user, params.id)
    record(`Reset the password of user "${userName}"`)
    return password
  })
}
