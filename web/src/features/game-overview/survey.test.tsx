import type { Survey } from '@capstan/contract/surveys'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { SurveyCard } from './survey.tsx'

const user = userEvent.setup()
const survey: Survey = {
  mode: 'Anonymous',
  challenges: [{ id: 8, title: 'Knots' }],
  answers: [{ challengeId: 8, rating: 2, text: 'Too easy' }],
}

it('the survey saves a rating that was chosen by keyboard and a comment, together with the earlier answers', async () => {
  const stored = [{ challengeId: null, rating: 4, text: 'Fine' }, ...survey.answers]
  const asked = simulateServer({
    'GET /api/game/3/survey': { body: survey },
    'PUT /api/game/3/survey': { body: { ...survey, answers: stored } },
  })
  await renderInApp(<SurveyCard gameId={3} />, { at: '/games/3', pattern: '/games/:id', areas: ['survey'] })
  expect(await screen.findByText('Anonymous: no answer is stored with your name.')).toBeTruthy()
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' })
  expect(save.disabled).toBe(true)
  const [gameStars] = screen.getAllByRole('radio', { name: '3 of 5 stars' })
  await user.click(gameStars!)
  await user.keyboard('{ArrowRight}')
  const [comment] = screen.getAllByLabelText(/^Comment/)
  await user.type(comment!, 'Fine')
  await user.click(save)
  await expect.poll(() => asked.find(({ method }) => method === 'PUT')?.body).toEqual({ mode: 'Anonymous', answers: stored })
  await expect.poll(() => save.disabled).toBe(true)
})

it('typed answers remain after a reload', async () => {
  simulateServer({ 'GET /api/game/3/survey': { body: survey } })
  const open = () => renderInApp(<SurveyCard gameId={3} />, { at: '/games/3', pattern: '/games/:id', areas: ['survey'] })
  await open()
  const [comment] = await screen.findAllByLabelText<HTMLTextAreaElement>(/^Comment/)
  await user.type(comment!, 'Fine')
  cleanup()
  await open()
  const [again] = await screen.findAllByLabelText<HTMLTextAreaElement>(/^Comment/)
  expect(again?.value).toBe('Fine')
})

it('the game page shows an error with a retry if the survey cannot be read', async () => {
  simulateServer({ 'GET /api/game/3/survey': { status: 500, body: { status: 500, title: 'No answer' } } })
  await renderInApp(<SurveyCard gameId={3} />, { at: '/games/3', pattern: '/games/:id', areas: ['survey'] })
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})
