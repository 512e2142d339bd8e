import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route as Post } from './post.tsx'
import { Route as Editor } from './post-edit.tsx'
import { Route as Posts } from './posts.tsx'

const user = userEvent.setup()
const admin = { 'GET /api/account/profile': { body: { userName: 'Admin', role: 'Admin' } } }
const visitor = {
  'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401, code: 'session.required' } },
}
function aPost(id: string, title: string, tags: string[], isPinned = false) {
  return {
    id,
    title,
    summary: '',
    isPinned,
    tags,
    authorAvatar: null,
    authorName: 'Admin',
    time: '2026-05-01T10:00:00Z',
  }
}
const list = {
  'GET /api/posts': {
    body: [aPost('a1', 'Rules', ['rules'], true), aPost('b2', 'Prizes', ['prizes', 'rules']), aPost('c3', 'Maps', [])],
  },
}

beforeEach(() => sessionStorage.clear())

describe('the list of posts', () => {
  it('the list of posts has the order of the server, and a label on each pinned post', async () => {
    simulateServer({ ...visitor, ...list })
    await renderInApp(<Posts />, { areas: ['posts'] })
    const items = await screen.findAllByRole('listitem')
    expect(items.map((item) => within(item).getByRole('heading').textContent)).toEqual(['Rules', 'Prizes', 'Maps'])
    expect(items.map((item) => within(item).queryByText('Pinned') !== null)).toEqual([true, false, false])
    expect(screen.queryByRole('link', { name: 'New post' })).toBeNull()
  })

  it('the list of posts is filtered by the tag in the address', async () => {
    simulateServer({ ...visitor, ...list })
    await renderInApp(<Posts />, { at: '/?tag=prizes', areas: ['posts'] })
    expect((await screen.findAllByRole('heading', { level: 2 })).map((heading) => heading.textContent)).toEqual(['Prizes'])
    const tags = screen.getByRole('navigation', { name: 'Tags' })
    expect(
      within(tags)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['All 3', 'rules 2', 'prizes 1'])
    expect(within(tags).getByRole('link', { current: true }).textContent).toBe('prizes 1')
  })

  it('pinning a post sends the current text, so that a concurrent change is not lost', async () => {
    const stored = { ...aPost('b2', 'Prizes', ['prizes']), content: 'A sextant' }
    const asked = simulateServer({
      ...admin,
      ...list,
      'GET /api/posts/b2': { body: stored },
      'PUT /api/edit/posts/b2': { body: { ...stored, isPinned: true } },
    })
    await renderInApp(<Posts />, { areas: ['posts'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for “Prizes”' }))
    await user.click(screen.getByRole('menuitem', { name: 'Pin to the top' }))
    await expect
      .poll(() => asked.find(({ method }) => method === 'PUT')?.body)
      .toEqual({
        title: 'Prizes',
        summary: '',
        content: 'A sextant',
        tags: ['prizes'],
        isPinned: true,
      })
  })

  it('the post page deletes a post only after confirmation', async () => {
    const asked = simulateServer({ ...admin, ...list, 'DELETE /api/edit/posts/c3': {} })
    await renderInApp(<Posts />, { areas: ['posts'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for “Maps”' }))
    await user.click(screen.getByRole('menuitem', { name: 'Delete' }))
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(false)
    await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete post' }))
    await expect.poll(() => asked.some(({ method }) => method === 'DELETE')).toBe(true)
  })
})

it('the post page reports that an unknown post does not exist', async () => {
  simulateServer({ ...visitor, 'GET /api/posts/ffff': { status: 404, body: { title: 'There is no such post', status: 404 } } })
  await renderInApp(<Post />, { at: '/posts/ffff', pattern: '/posts/:postId', areas: ['posts'] })
  expect(await screen.findByRole('heading', { name: 'The Nowhere' })).toBeTruthy()
})

describe('the post editor', () => {
  const stored = { ...aPost('b2', 'Prizes', ['prizes']), content: 'A sextant' }
  const edit = (id: string) =>
    renderInApp(<Editor />, { at: `/posts/${id}/edit`, pattern: '/posts/:postId/edit', areas: ['posts', 'editing'] })

  it('the editor sends the pin and the text in two calls, because one call can change only one of them', async () => {
    const asked = simulateServer({
      ...admin,
      ...list,
      'GET /api/posts/b2': { body: stored },
      'PUT /api/edit/posts/b2': { body: stored },
    })
    const page = await edit('b2')
    await user.click(await screen.findByRole('switch', { name: 'Pinned' }))
    await user.type(screen.getByRole('textbox', { name: 'Text' }), ' and a compass')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('at another page')
    const body = { title: 'Prizes', summary: '', content: 'A sextant and a compass', tags: ['prizes'], isPinned: true }
    expect(asked.filter(({ method }) => method === 'PUT').map((call) => call.body)).toEqual([body, body])
    expect(page.address()).toBe('/posts/b2')
  })

  it('the editor does not overwrite a concurrent change of the same field', async () => {
    let now = stored
    const asked = simulateServer({
      ...admin,
      ...list,
      'GET /api/posts/b2': () => ({ body: now }),
      'PUT /api/edit/posts/b2': { body: stored },
    })
    await edit('b2')
    await user.type(await screen.findByRole('textbox', { name: 'Text' }), ' and a compass')
    now = { ...stored, content: 'A telescope' }
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText(/Someone else has changed this in the meantime/)).toBeTruthy()
    expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Keep mine' }))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await screen.findByText('at another page')
    expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({ content: 'A sextant and a compass' })
  })

  it('the editor publishes a new post with tags, and opens it', async () => {
    const asked = simulateServer({ ...admin, ...list, 'POST /api/edit/posts': { body: 'd4e5f607' } })
    const page = await edit('new')
    await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'Schedule')
    await user.type(screen.getByRole('combobox', { name: /Tags/ }), 'news,times{Enter}')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    await screen.findByText('at another page')
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
      title: 'Schedule',
      summary: '',
      content: '',
      tags: ['news', 'times'],
      isPinned: false,
    })
    expect(page.address()).toBe('/posts/d4e5f607')
  })

  it('the editor refuses a title of more than 50 characters before the request', async () => {
    simulateServer({ ...admin, ...list })
    await edit('new')
    await user.click(await screen.findByRole('textbox', { name: 'Title' }))
    await user.paste('a'.repeat(51))
    expect(screen.getByText('Too long: 51 of 50 characters')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Publish' }).disabled).toBe(true)
  })

  it("the editor shows the server's error at the field", async () => {
    const body = { title: 'Shorter, please', status: 400, code: 'request.invalid', detail: '/summary' }
    simulateServer({ ...admin, ...list, 'POST /api/edit/posts': { status: 400, body } })
    await edit('new')
    await user.type(await screen.findByLabelText('Title'), 'Maps')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    expect(await screen.findByRole('textbox', { name: /^Summary/, description: /Shorter, please/ })).toBe(document.activeElement)
  })

  it('the editor counts an invalid field once, and clears its error after a change', async () => {
    const body = { title: 'Another one, please', status: 400, code: 'request.invalid', detail: '/title' }
    simulateServer({ ...admin, ...list, 'POST /api/edit/posts': { status: 400, body } })
    await edit('new')
    await user.type(await screen.findByLabelText('Title'), 'Maps')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    await screen.findByRole('textbox', { name: 'Title', description: /Another one, please/ })
    const bar = within(screen.getByRole('region', { name: 'Unsaved changes' }))
    expect(bar.getByRole('button', { name: '1 field needs attention' })).toBeTruthy()
    await user.paste('a'.repeat(51))
    expect(bar.getByRole('button', { name: '1 field needs attention' })).toBeTruthy()
    expect(screen.queryByText(/Another one, please/)).toBeNull()
    await user.clear(screen.getByLabelText('Title'))
    await user.type(screen.getByLabelText('Title'), 'Charts')
    expect(bar.queryByRole('button', { name: /needs attention/ })).toBeNull()
  })

  it('the editor retains the text if the save fails', async () => {
    simulateServer({
      ...admin,
      ...list,
      'POST /api/edit/posts': { status: 500, body: { title: 'Something broke', status: 500 } },
    })
    await edit('new')
    await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'Schedule')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    expect(await screen.findByText('Something broke')).toBeTruthy()
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('Schedule')
  })
})
