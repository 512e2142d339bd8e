import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { posts } from '@capstan/db/schema/platform'
import { desc, eq } from 'drizzle-orm'

export type PostRow = typeof posts.$inferSelect

/** A post with its last editor, if that user still exists. */
export interface PostWithAuthor extends PostRow {
  readonly authorName: string | null
  readonly authorAvatarHash: string | null
}

export const postRepository = (db: Executor) => {
  const select = () =>
    db
      .select({ post: posts, authorName: users.userName, authorAvatarHash: users.avatarHash })
      .from(posts)
      .leftJoin(users, eq(users.id, posts.authorId))
  const flatten = ({ post, ...author }: Awaited<ReturnType<typeof select>>[number]): PostWithAuthor => ({ ...post, ...author })
  return {
    /** Pinned first, then the newest. */
    async list(limit?: number): Promise<PostWithAuthor[]> {
      const query = select().orderBy(desc(posts.isPinned), desc(posts.updatedAt), posts.id).$dynamic()
      return (await (limit === undefined ? query : query.limit(limit))).map(flatten)
    },
    async find(id: string): Promise<PostWithAuthor | undefined> {
      const [row] = await select().where(eq(posts.id, id))
      return row && flatten(row)
    },
    async lock(id: string): Promise<PostRow | undefined> {
      const [post] = await db.select().from(posts).where(eq(posts.id, id)).for('update')
      return post
    },
    async insert(row: typeof posts.$inferInsert): Promise<void> {
      await db.insert(posts).values(row)
    },
    async insertUnlessPresent(row: typeof posts.$inferInsert): Promise<void> {
      await db.insert(posts).values(row).onConflictDoNothing()
    },
    async update(id: string, values: Partial<typeof posts.$inferInsert>): Promise<void> {
      await db.update(posts).set(values).where(eq(posts.id, id))
    },
    /** @returns whether there was such a post */
    async delete(id: string): Promise<boolean> {
      return (await db.delete(posts).where(eq(posts.id, id)).returning({ id: posts.id })).length > 0
    },
    /** Neither posts nor anybody who could have deleted one. */
    async isPlatformEmpty(): Promise<boolean> {
      const [post] = await db.select({ id: posts.id }).from(posts).limit(1)
      const [user] = await db.select({ id: users.id }).from(users).limit(1)
      return post === undefined && user === undefined
    },
  }
}
