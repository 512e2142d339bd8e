import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Fragment, type ReactNode, startTransition, useEffect, useState } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCall } from '../../lib/server-state.ts'
import { keyOfFlagDraft, typeAhead } from '../../lib/type-ahead.ts'
import { useFlagDrafts } from '../../stores/flag-drafts.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ChallengeWorkspace } from './challenge-workspace.tsx'

const user = userEvent.setup()
const time = '2026-01-01T00:00:00Z'
const challenge = {
  id: 7,
  title: 'Chandlery',
  category: 'Misc' as const,
  score: 340,
  solved: 3,
  bloods: [],
  disableBloodBonus: false,
  deadline: null,
}
const game = { id: 3, title: 'Harbour Trials', status: 'Accepted', start: time, end: '2999-01-01T00:00:00Z' } as GameDetail
const view: ChallengeView = {
  id: 7,
  title: 'Chandlery',
  category: 'Misc',
  content: 'Find it.',
  hints: [],
  hintOffers: [],
  parts: [],
  score: 340,
  type: 'DynamicContainer',
  context: { closeTime: null, instanceEntry: null, url: null, fileSize: null },
  deadline: null,
  limit: 0,
  attempts: 0,
  nextAttemptAt: null,
}

const solve: SolvedChallenge = { id: 7, score: 315, type: 'SecondBlood', userName: 'mira', time }

function boardOf(solved: boolean): PlayerBoard {
  return {
    challenges: { Misc: [challenge] },
    challengeCount: 1,
    rank: {
      id: 1,
      name: 'Salty Dogs',
      bio: null,
      organization: null,
      avatar: null,
      score: 0,
      rank: solved ? 4 : 7,
      organizationRank: null,
      lastSubmissionTime: time,
      solvedChallenges: solved ? [solve] : [],
      solvedCount: solved ? 1 : 0,
    },
    teamToken: 'token',
    writeupRequired: false,
    writeupDeadline: time,
  }
}

const solvers = {
  count: 9,
  latest: [{ id: 4, name: 'Bollards', avatar: null, type: 'SecondBlood', time }],
}

type HarnessProps = Readonly<{
  shown?: ChallengeView
  onNextUnsolved?: (() => void) | undefined
  onClose?: () => void
  /** Board that the first render shows. */
  board?: PlayerBoard
}>

/** Renders a challenge with its board, like the page. */
function Harness({ shown = view, onNextUnsolved, onClose = () => undefined, board: first }: HarnessProps) {
  const { data: board = first } = useCall(operations.getPlayerBoard, { params: { id: 3 } })
  if (!board) return null
  return (
    <ChallengeWorkspace
      labels={undefined}
      game={game}
      phase="running"
      board={board}
      view={shown}
      id={shown.id}
      title={shown.title}
      onStep={() => undefined}
      onNextUnsolved={onNextUnsolved}
      onClose={onClose}
    />
  )
}

async function showWorkspace(
  props: HarnessProps,
  isSolved: () => boolean = () => false,
  Around: typeof Fragment | typeof InTransition = Fragment,
) {
  const asked = simulateServer({
    'GET /api/game/3/details': () => ({ body: boardOf(isSolved()) }),
    'GET /api/game/3/scoreboard/solvers/7': { body: solvers },
    'GET /api/game/3/instances': { body: [] },
    'POST /api/game/3/challenges/7/verdict': { body: { id: 4711, status: 'Accepted', solve } },
  })
  const content = (
    <Around>
      <Harness {...props} />
    </Around>
  )
  await renderInApp(content, { areas: ['challenges', 'instances'] })
  return asked
}

/** Returns the names of the primary buttons and links. */
function primary() {
  return [...document.querySelectorAll<HTMLElement>('[class*="primary"]')]
    .filter((each) => !each.closest('[data-aside]'))
    .map((each) => each.textContent)
}

beforeEach(() => useFlagDrafts.setState({ drafts: {} }))

describe('the primary action of a challenge', () => {
  it('the primary button starts the instance, and submits the flag once text is typed', async () => {
    await showWorkspace({})
    const field = await screen.findByRole('textbox', { name: /^Flag/ })
    expect(primary()).toEqual(['Start'])
    await user.type(field, 'x')
    expect(primary()).toEqual(['Submit'])
  })

  it('the primary button opens the running instance', async () => {
    const context = { ...view.context, instanceEntry: 'ctf.example.org:31337', closeTime: '2999-01-01T00:00:00Z' }
    await showWorkspace({ shown: { ...view, category: 'Web', context } })
    await screen.findByRole('link', { name: 'Open in browser' })
    expect(primary()).toEqual(['Open in browser'])
  })

  it('the primary button submits a flag if there is no instance', async () => {
    await showWorkspace({ shown: { ...view, type: 'StaticAttachment' } })
    await screen.findByRole('textbox', { name: /^Flag/ })
    expect(primary()).toEqual(['Submit'])
  })

  it('the primary button opens the next challenge after the solve, and has the focus', async () => {
    let isSolved = false
    let went = 0
    await showWorkspace({ onNextUnsolved: () => went++ }, () => isSolved)
    const field = await screen.findByRole('textbox', { name: /^Flag/ })
    await user.type(field, 'flag{{right}{Enter}')
    await expect.poll(() => screen.queryByRole('heading', { name: 'Solved, +315 points' })).toBeTruthy()
    expect(screen.getByRole('status').textContent).toMatch(/Second blood.*by mira/)
    isSolved = true
    await expect.poll(() => screen.getByRole('status').textContent, { timeout: 30_000 }).toMatch(/Rank 7 → 4/)
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(primary()).toEqual(['Next unsolved'])
    await expect.poll(() => document.activeElement?.textContent).toBe('Next unsolved')
    await user.keyboard('{Enter}')
    expect(went).toBe(1)
  })

  it('the primary button returns to the board if every challenge is solved', async () => {
    let closed = 0
    await showWorkspace({ onClose: () => closed++ }, () => true)
    await user.click(await screen.findByRole('button', { name: 'All challenges' }))
    expect(closed).toBe(1)
  })
})

it('the workspace explains the proxy client next to its commands', async () => {
  const context = {
    ...view.context,
    instanceEntry: '0b9f6d1e-8a53-4c51-9f0e-2d3c4b5a6f70',
    closeTime: '2999-01-01T00:00:00Z',
  }
  await showWorkspace({ shown: { ...view, context } })
  await user.click(await screen.findByText('From your own terminal'))
  expect(screen.getByText(/is a proxy client: a small program/).textContent).toContain('websocat is')
  expect(screen.getByRole('link', { name: 'Get it here' }).getAttribute('href')).toContain('websocat')
})

it('the workspace shows the latest solvers and the number of other solvers, and does not read the full scoreboard', async () => {
  const asked = await showWorkspace({})
  await screen.findByText('Bollards')
  await screen.findByText('and 8 more teams')
  expect(asked.some(({ address }) => address === '/api/game/3/scoreboard')).toBe(false)
})

/** Types a character into the focused field. */
function typeNow(character: string) {
  const field = document.activeElement as HTMLInputElement
  field.setRangeText(character, field.value.length, field.value.length, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Renders its children in a transition, like the router. */
function InTransition({ children }: { readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => void setTimeout(() => startTransition(() => setIsOpen(true))), [])
  return isOpen && children
}

it('the field retains a flag if its second character is typed immediately after the field is rendered', async () => {
  typeAhead.expect(keyOfFlagDraft(7), 'Flag', { isEager: true })
  typeNow('a')
  const isRendered = Promise.withResolvers<void>()
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[aria-describedby$="-answer"]')) return
    observer.disconnect()
    typeNow('b')
    isRendered.resolve()
  })
  observer.observe(document, { subtree: true, childList: true })
  await showWorkspace({ board: boardOf(false) }, undefined, InTransition)
  await isRendered.promise
  await expect.poll(() => screen.getByRole<HTMLInputElement>('textbox', { name: /^Flag/ }).value).toBe('ab')
  expect(useFlagDrafts.getState().drafts).toEqual({ 7: 'ab' })
})
