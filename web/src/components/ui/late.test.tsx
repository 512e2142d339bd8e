import { act, render, screen } from '@testing-library/react'
import { Component, type ReactNode, Suspense } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { late } from './late.tsx'

interface GreetingProps {
  readonly name: string
}
const Greeting = ({ name }: GreetingProps) => <p>Ahoy {name}</p>
const Coming = () => <p>Coming</p>

afterEach(() => vi.restoreAllMocks())

it('a part that is loaded when it is shown replaces what stood there at once, and is shown at once from then on', async () => {
  const file = Promise.withResolvers<typeof Greeting>()
  const Part = late({ load: () => file.promise, Meanwhile: Coming })
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

it('a part that cannot be loaded fails as every page does', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const Part = late<GreetingProps>({ load: () => Promise.reject(new Error('No such file')) })
  render(
    <Boundary>
      <Suspense>
        <Part name="Mira" />
      </Suspense>
    </Boundary>,
  )
  expect(await screen.findByText('No such file')).toBeTruthy()
})
