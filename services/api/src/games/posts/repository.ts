import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { posts } from '@capstan/db/schema/platform'
import { desc, eq, getTableColumns } from 'drizzle-orm'

export type PostRow = typeof posts.$inferSelect

export type PostWithAuthor = PostRow &
  Readonly<{
    authorName: string | null
    authorAvatarHash: string | null
  }>

export type ListedPost = Omit<PostWithAuthor, 'content'>

/** Columns of a post without its content. The start page does not show the contents, which can have megabytes in total. */
const { content: _, ...listedColumns } = getTableColumns(posts)

const authorColumns = { authorName: users.userName, authorAvatarHash: users.avatarHash }

export function createPostRepository(db: Executor) {
  return {
    /** Lists pinned posts first, then the newest. */
    list(limit?: number): Promise<ListedPost[]> {
      const query = db
        .select({ ...listedColumns, ...authorColumns })
        .from(posts)
        .leftJoin(users, eq(users.id, posts.authorId))
        .orderBy(desc(posts.isPinned), desc(posts.updatedAt), posts.id)
        .$dynamic()
      return limit === undefined ? query : query.limit(limit)
    },
    async find(id: string): Promise<PostWithAuthor | undefined> {
      const [post] = await db
        .select({ ...getTableColumns(posts), ...authorColumns })
        .from(posts)
        .leftJoin(users, eq(users.id, posts.authorId))
        .where(eq(posts.id, id))
      return post
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
    async delete(id: string): Promise<boolean> {
      return (await db.delete(posts).where(eq(posts.id, id)).returning({ id: posts.id })).length > 0
    },
    /** True if there are neither posts nor users. Users are checked, too, because an admin may have deleted all posts. */
    async isPlatformEmpty(): Promise<boolean> {
      const [post] = await db.select({ id: posts.id }).from(posts).limit(1)
      const [user] = await db.select({ id: users.id }).from(users).limit(1)
      return post === undefined && user === undefined
    },
  }
}
