import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentPost, presentPostSummary } from './presenter.ts'
import { createPostService } from './service.ts'

/** Posts for visitors and admins. Rules: docs/contract/admin.md#posts. */
export const postRoutes: FastifyPluginAsync = async (app) => {
  const posts = createPostService(app.deps)

  app.operation(operations.listPosts, async () => (await posts.list()).map(presentPostSummary))
  app.operation(operations.listLatestPosts, async () => (await posts.listLatest()).map(presentPostSummary))
  app.operation(operations.getPost, async ({ params }) => presentPost(await posts.get(params.id)))

  app.operation(operations.createPost, async ({ user, body }) => posts.create(user.id, body))
  app.operation(operations.updatePost, async ({ user, params, body }) =>
    presentPost(await posts.update(params.id, user.id, body)),
  )
  app.operation(operations.deletePost, async ({ params }) => posts.delete(params.id))
}
