import type { SurveyResults } from '@capstan/contract/surveys'
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './survey.tsx'

const empty = { challengeId: null, title: null, answers: 0, ratings: [0, 0, 0, 0, 0], mean: null, textCount: 0, texts: [] }
const knots = {
  ...{ challengeId: 8, title: 'Knots', answers: 3, ratings: [0, 0, 0, 1, 2], mean: 14 / 3, textCount: 1 },
  texts: [{ rating: 5, text: 'Loved it.', author: 'mira' }],
}

async function open(results: SurveyResults) {
  simulateServer({
    'GET /api/account/profile': { body: { userId: 'b4a0e7a2-0000-4000-8000-000000000009', userName: 'ada', role: 'Monitor' } },
    'GET /api/game/3/monitor/survey': { body: results },
  })
  await renderInApp(<Route />, {
    at: '/games/3/monitor/survey',
    pattern: '/games/:id/monitor/survey',
    areas: ['survey', 'monitor'],
  })
}

it('the survey page shows ratings, comments and names if the survey is not anonymous', async () => {
  await open({ mode: 'Named', results: [empty, knots] })
  expect(await screen.findByText('Survey with names')).toBeTruthy()
  const bars = within(screen.getByRole('list', { name: 'Rating: Knots' })).getAllByRole('listitem')
  expect(bars.map(({ textContent }) => textContent)).toEqual([
    '5 of 5 stars2',
    '4 of 5 stars1',
    '3 of 5 stars0',
    '2 of 5 stars0',
    '1 of 5 stars0',
  ])
  expect(screen.getByText('4.7')).toBeTruthy()
  expect(screen.getByText('mira')).toBeTruthy()
  expect(screen.getByText('Loved it.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe('/api/game/3/monitor/survey.csv')
})

it.each([
  ['Off', 'The survey is off. Admins can turn it on in the details of the game.'],
  ['Anonymous', 'Players can answer after the end of the game.'],
] as const)('the survey page explains in mode %s why a survey has no answers', async (mode, text) => {
  await open({ mode, results: [empty] })
  expect(await screen.findByText(text)).toBeTruthy()
})
