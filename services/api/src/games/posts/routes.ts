import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentPost, presentPostSummary } from './presenter.ts'
import { createPost, deletePost, getPost, listLatestPosts, listPosts, updatePost } from './service.ts'

/** Posts for visitors and admins. Rules: docs/contract/admin.md#posts. */
export const postRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.listPosts, async () => (await listPosts(app.deps)).map(presentPostSummary))
  app.operation(operations.listLatestPosts, async () => (await listLatestPosts(app.deps)).map(presentPostSummary))
  app.operation(operations.getPost, async ({ params }) => presentPost(await getPost(app.deps, params.id)))

  app.operation(operations.createPost, async ({ user, body }) => createPost(app.deps, user.id, body))
  app.operation(operations.updatePost, async ({ user, params, body }) =>
    presentPost(await updatePost(app.deps, params.id, user.id, body)),
  )
  app.operation(operations.deletePost, async ({ params }) => deletePost(app.deps, params.id))
}
