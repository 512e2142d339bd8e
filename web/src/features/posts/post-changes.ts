import { operations } from '@capstan/contract/operations'
import type { PostDetail, PostWrite } from '@capstan/contract/posts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'

export type PostText = Readonly<{
  title: string
  summary: string
  content: string
  tags: readonly string[]
  isPinned: boolean
}>

export const emptyPost: PostText = { title: '', summary: '', content: '', tags: [], isPinned: false }

export function textOfPost({ title, summary, content, tags, isPinned }: PostDetail): PostText {
  return {
    title,
    summary,
    content,
    tags: tags ?? [],
    isPinned,
  }
}

function bodyOf({ tags, ...text }: PostText): PostWrite {
  return { ...text, tags: [...tags] }
}

function listsChanged() {
  return Promise.all([refreshCall(operations.listPosts), refreshCall(operations.listLatestPosts)])
}

/** @returns id of the new post */
export async function createPost(text: PostText): Promise<string> {
  const id = await call(operations.createPost, { body: bodyOf(text) })
  await listsChanged()
  return id
}

/** Reads the stored post again, and shows it on the open page. */
export async function readPost(id: string): Promise<PostDetail> {
  const params = { id }
  const stored = await call(operations.getPost, { params })
  await setCallData([operations.getPost, { params }], stored)
  return stored
}

/**
 * Updates a post. If `isPinned` changes, the server ignores the text of the call, so the text needs a second call.
 * @returns id of the post
 */
export async function updatePost(stored: PostDetail, text: PostText): Promise<string> {
  const params = { id: stored.id }
  const body = bodyOf(text)
  const { isPinned, ...words } = text
  const { isPinned: wasPinned, ...storedWords } = textOfPost(stored)
  if (isPinned !== wasPinned) await call(operations.updatePost, { params, body })
  if (JSON.stringify(words) !== JSON.stringify(storedWords)) await call(operations.updatePost, { params, body })
  await refreshCall(operations.getPost, { params })
  await listsChanged()
  return stored.id
}

/** Pins or unpins the stored post. It reads and sends the current text, so that a concurrent change is not lost. */
export async function setPostPinned(id: string, isPinned: boolean): Promise<void> {
  const params = { id }
  const stored = await readPost(id)
  if (stored.isPinned !== isPinned) {
    const changed = await call(operations.updatePost, { params, body: bodyOf({ ...textOfPost(stored), isPinned }) })
    await setCallData([operations.getPost, { params }], changed)
  }
  await listsChanged()
}

export async function deletePost(id: string): Promise<void> {
  await call(operations.deletePost, { params: { id } })
  await listsChanged()
}
