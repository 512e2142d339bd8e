import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { aChallenge, createFullChallengeResponses, createFullTestChallenge, gameOfChallenge } from '../../../testing/challenge.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './challenge.tsx'

const user = userEvent.setup()
beforeEach(() => sessionStorage.clear())
const address = '/api/edit/games/3/challenges/7'

async function open(changed: Partial<Challenge> = {}, { section = '', answers = {} } = {}) {
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(aChallenge(changed)),
    ...answers,
  })
  const shown = await renderInApp(<Route />, {
    at: `/admin/games/3/challenges/7${section && `?section=${section}`}`,
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing', 'instances', 'challenges'],
  })
  await screen.findByRole('navigation', { name: 'Sections of the challenge' })
  return { ...shown, asked }
}

function section(name: string) {
  return screen.queryByRole('heading', { level: 2, name })
}
function nav() {
  return within(screen.getByRole('navigation', { name: 'Sections of the challenge' }))
}
function linkTo(name: string) {
  return nav().getByRole('link', { name: new RegExp(`^${name}`) })
}
function title() {
  return screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' })
}

it('the editor opens each section by its address after a reload', async () => {
  const { address: shownAt, unmount } = await open({ type: 'DynamicContainer' })
  expect(section('About')).toBeTruthy()
  expect(section('Score')).toBeNull()
  await user.click(linkTo('Score'))
  expect(shownAt()).toBe('/admin/games/3/challenges/7?section=score')
  expect(section('Score')).toBeTruthy()
  expect(section('About')).toBeNull()
  expect(linkTo('Score').getAttribute('aria-current')).toBe('page')
  unmount()
  await open({ type: 'DynamicContainer' }, { section: 'score' })
  expect(section('Score')).toBeTruthy()
})

it("the editor opens the first section if the address names a section that the challenge's type does not have", async () => {
  await open({ type: 'StaticAttachment' }, { section: 'container' })
  expect(section('About')).toBeTruthy()
  expect(nav().queryByRole('link', { name: /^Instance/ })).toBeNull()
})

it('the link of an open step focuses the control that completes the step', async () => {
  await open({ type: 'StaticContainer', description: '' })
  const list = within(screen.getByRole('region', { name: 'Before players see it' }))
  for (const [todo, control] of [
    ['Has a flag', 'Flags, one per line'],
    ['Has a description', 'Description'],
    ['Image is set', 'Image'],
  ] as const) {
    await user.click(list.getByRole('link', { name: todo }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: control })))
  }
})

it('arrow keys, Home and End move between the sections', async () => {
  await open()
  linkTo('About').focus()
  await user.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(linkTo('Hints'))
  await user.keyboard('{End}')
  expect(document.activeElement).toBe(linkTo('Maintenance'))
  await user.keyboard('{Home}{Enter}')
  expect(section('About')).toBeTruthy()
})

it('the editor retains input in all sections, including secrets and links, and marks sections with unsaved input', async () => {
  await open({ type: 'DynamicContainer' })
  await user.type(title(), 'ed')
  await user.click(linkTo('Instance'))
  await user.click(await screen.findByText('Advanced settings'))
  await user.click(screen.getByRole('button', { name: 'Add a secret' }))
  await user.type(screen.getByRole('textbox', { name: 'Name of secret 1' }), 'KEY')
  await user.type(screen.getByLabelText('Value of secret 1'), 'hidden')
  expect(JSON.stringify({ ...sessionStorage })).toContain('KEY')
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('hidden')
  await user.click(linkTo('Files'))
  await user.click(screen.getByRole('radio', { name: 'External link' }))
  await user.type(screen.getByRole('textbox', { name: 'Address' }), 'https://files.example')
  await user.click(linkTo('About'))
  expect(title().value).toBe('Sealed')
  for (const name of ['About', 'Instance', 'Files'])
    expect(nav().getByRole('link', { name: new RegExp(`^${name}.*, unsaved changes$`) })).toBeTruthy()
  expect(nav().queryByRole('link', { name: /^Score.*unsaved/ })).toBeNull()
  await user.click(linkTo('Instance'))
  expect(screen.getByLabelText<HTMLInputElement>('Value of secret 1').value).toBe('hidden')
})

it('the editor marks an invalid field, and opens the section of the field if another section is open', async () => {
  await open()
  await user.clear(title())
  await user.click(linkTo('Score'))
  expect(nav().getByRole('link', { name: /^About.*, needs correction$/ })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: '1 field needs attention' }))
  await waitFor(() => expect(document.activeElement).toBe(title()))
})

it('the editor opens the section of a refused field, and focuses the field', async () => {
  const refusal = {
    status: 400,
    body: { title: 'Too easy to guess on this server', status: 400, code: 'flag.template-weak' },
  }
  const { asked } = await open({ type: 'DynamicContainer' }, { answers: { [`PUT ${address}/whole`]: refusal } })
  await user.click(linkTo('Flags'))
  await user.type(screen.getByRole('textbox', { name: /Flag template/ }), 'flag{{[[GUID]}')
  await user.click(linkTo('Score'))
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.queryByRole('textbox', { name: /Flag template/ })))
  expect(asked.some(({ method }) => method === 'PUT')).toBe(true)
  expect(screen.getByRole('alert')).toBeTruthy()
  expect(nav().getByRole('link', { name: /^Flags.*, needs correction$/ })).toBeTruthy()
  await user.keyboard('x')
  expect(nav().getByRole('link', { name: /^Flags.*, unsaved changes$/ })).toBeTruthy()
})

it("the preview shows the players' dialog with the entered values, sends nothing, and returns the focus", async () => {
  const { asked } = await open({ type: 'DynamicContainer', hints: [{ text: 'Look at $r$.', price: 0 }] })
  await user.type(title(), 'ed')
  const before = asked.length
  const button = screen.getByRole('button', { name: 'Preview' })
  await user.click(button)
  const dialog = await screen.findByRole('dialog', { name: 'Sealed' })
  expect(within(dialog).getByText('No instance running').closest('[inert]')).toBeTruthy()
  expect(within(dialog).getByPlaceholderText('flag{…}').closest('[inert]')).toBeTruthy()
  expect(within(dialog).getByText('1 hint')).toBeTruthy()
  expect(within(dialog).getByText('1,000 points')).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(button)
  expect(asked.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
  expect(asked.some(({ address: at }) => at.startsWith('/api/game/3/challenges'))).toBe(false)
})

const changed409 = {
  status: 409,
  body: { title: 'The challenge has changed', status: 409, code: 'challenge.changed' },
}

it('the editor saves all fields, tags and network access with the version in one request', async () => {
  const stored = createFullTestChallenge(aChallenge({ type: 'StaticContainer' }))
  const { asked } = await open(
    { type: 'StaticContainer' },
    { answers: { [`PUT ${address}/whole`]: ({ body }: { body: unknown }) => ({ body: { ...stored, ...(body as object) } }) } },
  )
  await user.type(title(), 'ed')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Difficulty' }), 'Hard')
  await user.click(linkTo('Instance'))
  await user.selectOptions(screen.getByRole('combobox', { name: 'Protocol' }), 'http')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull())
  const [container] = stored.challenge.containers
  expect(asked.filter(({ method }) => method !== 'GET').map(({ address: at, body }) => [at, body])).toEqual([
    [
      `${address}/whole`,
      {
        version: stored.version,
        challenge: {
          ...stored.challenge,
          title: 'Sealed',
          difficulty: 'hard',
          containers: [{ ...container, reach: { speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: false } }],
        },
      },
    ],
  ])
})

/** Responds to a save with a conflict as long as the stored challenge is `newer`. */
function answersWith(newer: ReturnType<typeof createFullTestChallenge>, stored = createFullTestChallenge(aChallenge())) {
  const read = `GET ${address}/whole`
  let isChanged = false
  return {
    [read]: () => ({ body: isChanged ? newer : stored }),
    [`PUT ${address}/whole`]: ({ body }: { body: unknown }) => {
      const { version, challenge } = body as ReturnType<typeof createFullTestChallenge>
      if (version === newer.version) return { body: { ...newer, challenge } }
      isChanged = true
      return changed409
    },
  }
}

function newerWith(changes: Partial<ReturnType<typeof createFullTestChallenge>['challenge']>) {
  const stored = createFullTestChallenge(aChallenge())
  return { ...stored, version: 'b'.repeat(64), challenge: { ...stored.challenge, ...changes } }
}

it('a save applies the edits to a newer version if another user changed only other fields', async () => {
  const newer = newerWith({ points: 500 })
  const { asked } = await open({}, { answers: answersWith(newer) })
  await user.type(title(), 'ed')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull())
  expect(asked.filter(({ method }) => method === 'PUT').at(-1)?.body).toEqual({
    version: newer.version,
    challenge: { ...newer.challenge, title: 'Sealed' },
  })
})

it.each([
  ['overwrites', 'Keep mine', 'Sealed'],
  ['loads', 'Use theirs', 'Theirs'],
])(`the editor %s the other user's value of a field if the organizer chooses "%s"`, async (_, choice, expected) => {
  const { asked } = await open({}, { answers: answersWith(newerWith({ title: 'Theirs' })) })
  await user.type(title(), 'ed')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await user.click(await screen.findByRole('button', { name: choice }))
  expect(title().value).toBe(expected)
  expect(asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)
})

it('a save applies the edits if another user changed another field of the same container', async () => {
  const type = 'StaticContainer' as const
  const stored = createFullTestChallenge(aChallenge({ type }))
  const [container] = stored.challenge.containers
  const reach = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: false } as const
  const containers = [{ ...defaultContainer, ...container, reach, memoryMb: 512 }]
  const newer = { ...stored, version: 'b'.repeat(64), challenge: { ...stored.challenge, containers } }
  const { asked } = await open({ type }, { section: 'container', answers: answersWith(newer, stored) })
  await user.type(screen.getByRole('textbox', { name: 'Image' }), 'x:2')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull())
  expect(asked.filter(({ method }) => method === 'PUT').at(-1)?.body).toMatchObject({
    version: newer.version,
    challenge: { containers: [{ image: 'x:2', memoryMb: 512 }] },
  })
})
