import type { FullChallenge } from '@capstan/contract/challenge'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { useTerminals } from '../../components/instances/terminal/terminals.ts'
import { aChallenge, createFullTestChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { TestContainerPanel } from './test-container.tsx'

const user = userEvent.setup()
const address = '/api/edit/games/3/challenges/7/container'
const id = 'a3b0c442-98fc-4c14-9afb-f4c8996fb924'

function open(testContainer: FullChallenge['testContainer']) {
  const whole = { ...createFullTestChallenge(aChallenge({ title: 'Shop' }), { image: 'shop:1' }), testContainer }
  return renderInApp(<TestContainerPanel gameId={3} whole={whole} hasUnsaved={false} />, {
    areas: ['admin-challenges', 'instances'],
  })
}

it('the panel shows the steps, the times and the error of a failed start', async () => {
  simulateServer({
    [`POST ${address}`]: {
      status: 400,
      body: { title: 'The instance could not be started', status: 400, code: 'instance.failed' },
    },
    [`GET ${address}/log`]: {
      body: {
        hasRun: false,
        steps: [
          { time: '2030-01-01T10:00:00.000Z', state: 'Requested', message: null },
          { time: '2030-01-01T10:00:01.500Z', state: 'Starting', message: 'The image is being downloaded.' },
          { time: '2030-01-01T10:00:09.000Z', state: 'Failed', message: 'There is no such image.' },
        ],
      },
    },
  })
  await open(null)
  await user.click(screen.getByRole('button', { name: 'Start test instance' }))
  expect(await screen.findByText('The test instance did not start')).toBeTruthy()
  const steps = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(steps).toEqual([
    '+0.0 sRequested ',
    '+1.5 sStarting The image is being downloaded.',
    '+9.0 sFailed There is no such image.',
  ])
})

it('the panel offers to inspect the containers of a failed start, and to start again', async () => {
  simulateServer({
    [`GET ${address}/log`]: {
      body: {
        hasRun: false,
        steps: [
          { time: '2030-01-01T10:00:00.000Z', state: 'Requested', message: null },
          { time: '2030-01-01T10:00:09.000Z', state: 'Failed', message: 'It crashes.' },
        ],
        instanceId: id,
      },
    },
  })
  await open({ status: 'Pending', startedAt: '2030-01-01T10:00:00Z', expectStopAt: '2130-01-01T12:00:00Z', entry: id })
  expect(await screen.findByRole('button', { name: 'Start test instance' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Containers and output' })).toBeTruthy()
  expect(screen.getAllByText('Failed')).toHaveLength(2)
})

it('the panel shows the connections of a running test container, and can open a terminal', async () => {
  simulateServer({
    [`GET ${address}/log`]: { body: { hasRun: true, steps: [] } },
    [`GET ${address}/ways`]: {
      body: [
        { way: 'http', address: 'https://abcdefghijklmnopqrst.play.example/' },
        { way: 'websocket', address: `/api/proxy/noinst/${id}` },
      ],
    },
  })
  await open({ status: 'Running', startedAt: '2030-01-01T10:00:00Z', expectStopAt: '2130-01-01T12:00:00Z', entry: id })
  const link = await screen.findByRole('link', { name: 'Open in browser' })
  expect(link.getAttribute('href')).toBe('https://abcdefghijklmnopqrst.play.example/')
  expect(screen.getByText(`websocat -b ws://localhost:3000/api/proxy/noinst/${id}`)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Open terminal', hidden: true }))
  expect(useTerminals.getState().tabs).toEqual([{ id, title: 'Shop', isTest: true, isRaw: false }])
})

it('the panel offers a terminal even if the connections are unknown', async () => {
  simulateServer({ [`GET ${address}/log`]: { body: { hasRun: true, steps: [] } } })
  await open({ status: 'Running', startedAt: '2030-01-01T10:00:00Z', expectStopAt: '2130-01-01T12:00:00Z', entry: id })
  expect(await screen.findByRole('button', { name: 'Open terminal' })).toBeTruthy()
})
