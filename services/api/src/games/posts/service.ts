// News posts. Rules: docs/contract/admin.md#posts.
import { Limits } from '@capstan/contract/limits'
import type { PostWrite } from '@capstan/contract/posts'
import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { createPostRepository, type ListedPost, type PostWithAuthor } from './repository.ts'

export type { ListedPost } from './repository.ts'

function columnsOf(write: PostWrite) {
  return {
    title: write.title.trim(),
    summary: write.summary ?? '',
    content: write.content ?? '',
    tags: write.tags ?? [],
    isPinned: write.isPinned ?? false,
  }
}

export async function getPost({ db }: Pick<InstanceDeps, 'db'>, id: string): Promise<PostWithAuthor> {
  const posts = createPostRepository(db)
  const post = await posts.find(id)
  if (!post) throw new Problem('post.unknown')
  return post
}

export function listPosts({ db }: Pick<InstanceDeps, 'db'>): Promise<ListedPost[]> {
  const posts = createPostRepository(db)
  return posts.list()
}

export function listLatestPosts({ db }: Pick<InstanceDeps, 'db'>): Promise<ListedPost[]> {
  const posts = createPostRepository(db)
  return posts.list(Limits.latestPosts)
}

/** @returns the id: 8 hex digits */
export async function createPost(
  { db, clock }: Pick<InstanceDeps, 'db' | 'clock'>,
  authorId: string,
  write: PostWrite,
): Promise<string> {
  const posts = createPostRepository(db)
  const id = cryptoRandom.hex(Limits.postIdLength / 2)
  await posts.insert({ id, ...columnsOf(write), authorId, updatedAt: clock.now() })
  return id
}

/** Updates a post. An update that changes `isPinned` does not change the title and content. @throws Problem `post.unknown` */
export async function updatePost(
  deps: Pick<InstanceDeps, 'db' | 'clock'>,
  id: string,
  authorId: string,
  write: PostWrite,
): Promise<PostWithAuthor> {
  const { db, clock } = deps
  await db.transaction(async (transaction) => {
    const repository = createPostRepository(transaction)
    const post = await repository.lock(id)
    if (!post) throw new Problem('post.unknown')
    const isPinned = write.isPinned ?? false
    if (isPinned !== post.isPinned) await repository.update(id, { isPinned })
    else await repository.update(id, { ...columnsOf(write), authorId, updatedAt: clock.now() })
  })
  return getPost(deps, id)
}

/** @throws Problem `post.unknown` */
export async function deletePost({ db }: Pick<InstanceDeps, 'db'>, id: string): Promise<void> {
  const posts = createPostRepository(db)
  if (!(await posts.delete(id))) throw new Problem('post.unknown')
}

/**
 * Creates a welcome post on a platform that has neither posts nor users. If an admin deletes the welcome post, it is not created
 * again, because the platform then has users.
 */
export async function createWelcomePost({ db, clock }: Pick<InstanceDeps, 'db' | 'clock'>): Promise<void> {
  const posts = createPostRepository(db)
  if (!(await posts.isPlatformEmpty())) return
  await posts.insertUnlessPresent({
    // Two starting processes insert the same id, so only one insert succeeds.
    id: '00000001',
    title: 'Welcome to Capstan',
    summary: 'Your platform is ready. Here is what comes next.',
    content: welcomeText,
    tags: ['welcome'],
    updatedAt: clock.now(),
  })
}

const welcomeText = `This platform runs capture-the-flag competitions.

- **Players** register, create or join a team, and join a game.
- **Organizers** create games and challenges under *Admin*, and publish news here.

Edit or delete this post whenever you like.
`
