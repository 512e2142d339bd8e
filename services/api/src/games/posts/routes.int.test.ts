import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { createWelcomePost, listPosts } from './service.ts'

let statements: string[] = []
let context: TestApp
let admin: TestClient
let visitor: TestClient
let adminName: string
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
  const signedIn = await signInAsNewUser(context, 'Admin')
  admin = signedIn.client
  adminName = signedIn.user.userName
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

async function write(body: object): Promise<string> {
  context.clock.advanceMs(1_000)
  return (await admin.post('/api/edit/posts', body)).json()
}

test('stores a new post with an id of 8 hex digits and with its author', async () => {
  const id = await write({ title: 'First', content: '# Hello', tags: ['news'] })
  expect(id).toMatch(/^[0-9a-f]{8}$/)
  expect((await visitor.get(`/api/posts/${id}`)).json()).toMatchObject({
    ...{
      id,
      title: 'First',
      summary: '',
      content: '# Hello',
      tags: ['news'],
      isPinned: false,
      authorName: adminName,
      authorAvatar: null,
    },
  })
})

test('lists pinned posts first, then the newest', async () => {
  await write({ title: 'Pinned', isPinned: true })
  await write({ title: 'Newest' })
  const titles = (await visitor.get('/api/posts')).json().map(({ title }: { title: string }) => title)
  expect(titles).toEqual(['Pinned', 'Newest', 'First'])
})

test('a write that pins or unpins a post ignores title and content', async () => {
  const id = await write({ title: 'Keep me', content: 'text' })
  const changed = await admin.put(`/api/edit/posts/${id}`, { title: 'Other', content: 'other', isPinned: true })
  expect(changed.json()).toMatchObject({ title: 'Keep me', content: 'text', isPinned: true })
  expect((await admin.put(`/api/edit/posts/${id}`, { title: 'Other', isPinned: true })).json()).toMatchObject({
    title: 'Other',
    content: '',
  })
})

test('a post names its last editor as author, and has no author after the account of the editor is deleted', async () => {
  const id = await write({ title: 'Handed over' })
  const editor = await signInAsNewUser(context, 'Admin')
  const edited = await editor.client.put(`/api/edit/posts/${id}`, { title: 'Taken over' })
  expect(edited.json()).toMatchObject({ authorName: editor.user.userName })
  expect((await admin.delete(`/api/admin/users/${editor.user.id}`)).statusCode).toBe(200)
  expect((await visitor.get(`/api/posts/${id}`)).json()).toMatchObject({
    title: 'Taken over',
    authorName: null,
    authorAvatar: null,
  })
})

test('the lists of posts have no ETag', async () => {
  for (const url of ['/api/posts', '/api/posts/latest']) expect((await visitor.get(url)).headers).not.toHaveProperty('etag')
})

test('answers 404 for an unknown post and 400 for a missing or long title', async () => {
  expect((await visitor.get('/api/posts/ffffffff')).statusCode).toBe(404)
  expect((await admin.put('/api/edit/posts/ffffffff', { title: 'x' })).statusCode).toBe(404)
  expect((await admin.delete('/api/edit/posts/ffffffff')).statusCode).toBe(404)
  expect((await admin.post('/api/edit/posts', { title: ' ' })).json().code).toBe('request.invalid')
  expect((await admin.post('/api/edit/posts', { title: 'x'.repeat(51) })).statusCode).toBe(400)
})

test('allows only admins to write posts', async () => {
  const { client: user } = await signInAsNewUser(context, 'User')
  const { client: monitor } = await signInAsNewUser(context, 'Monitor')
  expect((await visitor.post('/api/edit/posts', { title: 'x' })).statusCode).toBe(401)
  expect((await user.post('/api/edit/posts', { title: 'x' })).statusCode).toBe(403)
  expect((await monitor.post('/api/edit/posts', { title: 'x' })).statusCode).toBe(403)
})

test('creates one welcome post on an empty platform', async () => {
  const fresh = await startTestApp()
  await Promise.all([createWelcomePost(fresh.deps), createWelcomePost(fresh.deps)])
  expect((await listPosts(fresh.deps)).map(({ title }) => title)).toEqual(['Welcome to Capstan'])
  await fresh.close()
})

test('a deleted welcome post is not created again at the next start', async () => {
  const fresh = await startTestApp()
  await createWelcomePost(fresh.deps)
  const { client } = await signInAsNewUser(fresh, 'Admin')
  const [welcome] = await listPosts(fresh.deps)
  expect((await client.delete(`/api/edit/posts/${welcome?.id}`)).statusCode).toBe(200)
  await createWelcomePost(fresh.deps)
  expect(await listPosts(fresh.deps)).toEqual([])
  await fresh.close()
})

test.each(['/api/posts', '/api/posts/latest'])('the contents of posts are not read for %s', async (path) => {
  const id = await write({ title: 'Long', content: 'x'.repeat(1_000) })
  statements = []
  const list: { id: string }[] = (await visitor.get(path)).json()
  expect(list.map((post) => post.id)).toContain(id)
  expect(statements.filter((text) => text.includes('"posts"'))).toEqual([expect.not.stringContaining('"content"')])
})
