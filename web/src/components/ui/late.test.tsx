import { act, fireEvent, render, screen } from '@testing-library/react'
import { Component, type ReactNode, Suspense } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLazyComponent, type FailedProps } from './late.tsx'

type GreetingProps = Readonly<{
  name: string
}>
function Greeting({ name }: GreetingProps) {
  return <p>Ahoy {name}</p>
}
function Coming() {
  return <p>Coming</p>
}

afterEach(() => vi.restoreAllMocks())

it('a lazy component replaces its fallback when it has loaded, and the next render shows it immediately', async () => {
  const file = Promise.withResolvers<typeof Greeting>()
  const Part = createLazyComponent({ load: () => file.promise, Fallback: Coming })
  const { unmount } = render(<Part name="Mira" />)
  expect(screen.getByText('Coming')).toBeTruthy()
  await act(async () => file.resolve(Greeting))
  expect(screen.getByText('Ahoy Mira')).toBeTruthy()
  unmount()
  render(<Part name="Noor" />)
  expect(screen.getByText('Ahoy Noor')).toBeTruthy()
})

class Boundary extends Component<{ readonly children: ReactNode }, { readonly failure?: Error }> {
  override state: { readonly failure?: Error } = {}
  static getDerivedStateFromError = (failure: Error) => ({ failure })
  override render = () => this.state.failure?.message ?? this.props.children
}

it('if the file of a lazy component does not load, the component throws an error by default', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const Part = createLazyComponent<GreetingProps>({ load: () => Promise.reject(new Error('No such file')) })
  render(
    <Boundary>
      <Suspense>
        <Part name="Mira" />
      </Suspense>
    </Boundary>,
  )
  expect(await screen.findByText('No such file')).toBeTruthy()
})

describe('a lazy component with a failed state', () => {
  const Unavailable = ({ name, onRetry }: GreetingProps & FailedProps) => (
    <button type="button" onClick={onRetry}>
      No part for {name}
    </button>
  )

  /** Shows a component whose file fails to load until the test calls `connect`. */
  async function showOffline() {
    const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    const Part = createLazyComponent<GreetingProps>({
      load: async () => {
        if (!navigator.onLine) throw new TypeError('Failed to fetch')
        return Greeting
      },
      Failed: Unavailable,
    })
    render(<Part name="Mira" />)
    await screen.findByText('No part for Mira')
    return { connect: () => onLine.mockReturnValue(true) }
  }

  it.each(['online', 'focus'])('the component loads its file again on the event %s', async (sign) => {
    const { connect } = await showOffline()
    fireEvent(window, new Event(sign))
    expect(await screen.findByText('No part for Mira')).toBeTruthy()
    connect()
    fireEvent(window, new Event(sign))
    expect(await screen.findByText('Ahoy Mira')).toBeTruthy()
    expect(screen.queryByText('No part for Mira')).toBeNull()
  })

  it('the component loads its file again after some time, even if no event occurs', async () => {
    const { connect } = await showOffline()
    connect()
    expect(await screen.findByText('Ahoy Mira')).toBeTruthy()
  })

  it('the component loads its file again if the user clicks the retry button', async () => {
    const { connect } = await showOffline()
    connect()
    fireEvent.click(screen.getByRole('button'))
    expect(await screen.findByText('Ahoy Mira')).toBeTruthy()
  })
})
