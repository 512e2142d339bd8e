import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { FlagAnswer } from '../../lib/flag-answer.ts'
import { ApiError } from '../../lib/http.ts'
import { renderInApp } from '../../testing/render.tsx'
import { FlagForm } from './flag-form.tsx'

const user = userEvent.setup()

type HarnessProps = Readonly<{
  answer?: FlagAnswer
  isOver?: boolean
  sent?: string[]
  deadline?: number | null
}>

function Harness({ answer = { kind: 'none' }, isOver = false, sent = [], deadline = null }: HarnessProps) {
  const [value, setValue] = useState('')
  const input = useRef<HTMLInputElement>(null)
  return (
    <FlagForm
      value={value}
      onValueChange={setValue}
      answer={answer}
      isOver={isOver}
      deadline={deadline}
      input={input}
      onSubmit={(flag) => sent.push(flag)}
    />
  )
}

function showForm(props: HarnessProps) {
  return renderInApp(<Harness {...props} />, { areas: ['challenges'] })
}
function field() {
  return screen.getByRole<HTMLInputElement>('textbox', { name: /^Flag/ })
}
function words() {
  return screen.getByRole('status').textContent
}

describe('the flag form', () => {
  it('the form submits the flag on Enter, and retains the text and the focus', async () => {
    const sent: string[] = []
    await showForm({ sent })
    await user.type(field(), 'flag{{a}{Enter}')
    expect(sent).toEqual(['flag{a}'])
    expect(field().value).toBe('flag{a}')
    expect(document.activeElement).toBe(field())
  })

  it('the flag field retains the focus after a click on the submit button', async () => {
    await showForm({})
    await user.type(field(), 'x')
    await user.click(screen.getByRole('button', { name: 'Submit' }))
    expect(document.activeElement).toBe(field())
  })

  it('the form trims a pasted flag and shows a note about it', async () => {
    await showForm({})
    await user.click(field())
    await user.paste('  flag{pasted}\n')
    expect(field().value).toBe('flag{pasted}')
    expect(words()).toBe('Spaces around the pasted text were removed.')
  })

  it.each<[string, FlagAnswer]>([
    ['Incorrect flag', { kind: 'wrong' }],
    ['Submission deadline has passed', { kind: 'expired' }],
    ['We couldn’t check this flag. Ask an organizer about submission #4711.', { kind: 'unknown', submissionId: 4711 }],
    ["Content can't be empty", { kind: 'invalid', why: 'empty' }],
    ['A flag can have at most 127 characters', { kind: 'invalid', why: 'long' }],
    ['Correct. Your team had already solved this one.', { kind: 'right', gain: 'again' }],
    [
      'Flag found, +70 points1 flag is missing.',
      { kind: 'right', gain: { found: { points: 70, isNew: true, found: 2, total: 3 } } },
    ],
    [
      'Correct. Your team had already found this flag.2 flags are missing.',
      { kind: 'right', gain: { found: { points: 0, isNew: false, found: 1, total: 3 } } },
    ],
    ['CorrectThe game has ended, submissions will not be scored', { kind: 'right', gain: 'unscored' }],
  ])('shows the result "%s"', async (text, answer) => {
    await showForm({ answer })
    expect(words()).toBe(text)
  })

  it('the form warns before a submission after the end of the game', async () => {
    await showForm({ isOver: true })
    expect(words()).toBe('The game has ended, submissions will not be scored')
  })

  it('the form shows the deadline of a challenge before the deadline', async () => {
    await showForm({ deadline: Date.UTC(2999, 0, 1, 12) })
    expect(words()).toMatch(/^Open until .*2999/)
  })

  it('the form sends no flag after the deadline', async () => {
    const sent: string[] = []
    await showForm({ sent, deadline: Date.UTC(2020, 0, 1) })
    expect(words()).toBe('This challenge is closed.')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Submit' }).disabled).toBe(true)
    await user.type(field(), 'x{Enter}')
    expect(sent).toEqual([])
  })

  it('the form counts down after too many attempts, and sends no flag until the wait is over', async () => {
    const sent: string[] = []
    const error = new ApiError({ title: 'Too many requests', status: 429, httpStatus: 429, retryAfterSeconds: 50 })
    await showForm({ sent, answer: { kind: 'refused', error } })
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: /Wait \d\d? s/ })
    expect(button.disabled).toBe(true)
    await user.type(field(), 'x{Enter}')
    expect(sent).toEqual([])
    expect(words()).toMatch(/^Too many requests\. Try again in \d\d? seconds\./)
  })

  it('the form retains the text and offers a login if the session has expired', async () => {
    const error = new ApiError({ title: 'Please log in first', code: 'session.required', status: 401, httpStatus: 401 })
    await showForm({ answer: { kind: 'refused', error } })
    expect(words()).toContain('Please log in first What you typed is still here.')
    expect(screen.getByRole('link', { name: 'Log in' }).getAttribute('href')).toBe('/account/login?from=%2F')
  })

  it('the form marks the flag field as invalid after a wrong flag', async () => {
    await showForm({ answer: { kind: 'wrong' } })
    expect(field().getAttribute('aria-invalid')).toBe('true')
  })
})
