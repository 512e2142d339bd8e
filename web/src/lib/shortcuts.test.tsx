import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderInApp } from '../testing/render.tsx'
import { type Shortcuts, useShortcuts } from './shortcuts.ts'

const act = vi.fn()
const shortcuts: Shortcuts = Object.fromEntries(['a', 'j', 'Enter', 'ArrowRight'].map((key) => [key, () => act(key)]))

function Review() {
  useShortcuts(shortcuts)
  return (
    <>
      <button type="button">Next page</button>
      <pre data-testid="code" />
    </>
  )
}

/** Presses keys on `target`, and returns those that triggered an action. */
function pressed(target: Element, ...keys: { key: string; repeat?: boolean }[]): string[] {
  act.mockClear()
  for (const key of keys) fireEvent.keyDown(target, key)
  return act.mock.calls.map(([key]) => key as string)
}

it('a held key repeats movements but not actions', async () => {
  await renderInApp(<Review />)
  const repeated = ['a', 'j', 'ArrowRight'].flatMap((key) => [{ key }, { key, repeat: true }])
  expect(pressed(document.body, ...repeated)).toEqual(['a', 'j', 'j', 'ArrowRight', 'ArrowRight'])
})

it('Enter presses the focused button', async () => {
  await renderInApp(<Review />)
  const enter = { key: 'Enter' }
  expect(pressed(screen.getByRole('button'), enter)).toEqual([])
  expect(pressed(document.body, enter)).toEqual(['Enter'])
})

it('arrow keys scroll wide code instead of triggering shortcuts', async () => {
  await renderInApp(<Review />)
  const code = screen.getByTestId('code')
  expect(pressed(code, { key: 'ArrowRight' })).toEqual(['ArrowRight'])
  Object.defineProperty(code, 'scrollWidth', { value: 900 })
  expect(pressed(code, { key: 'ArrowRight' })).toEqual([])
})

function Keys({ inWorkspace }: { readonly inWorkspace: boolean }) {
  useShortcuts(shortcuts, { inWorkspace })
  return <div data-testid="layers" />
}

const dialog = '<div role="dialog"></div>'
const workspace = '<div role="dialog" data-workspace></div>'

it.each([
  { inWorkspace: false, layers: dialog, acting: [] },
  { inWorkspace: false, layers: workspace, acting: [] },
  { inWorkspace: true, layers: dialog, acting: [] },
  { inWorkspace: true, layers: workspace, acting: ['a'] },
  { inWorkspace: true, layers: workspace + dialog, acting: [] },
])(
  'only shortcuts with inWorkspace work in a workspace dialog, and no shortcut works in any other dialog: $inWorkspace in $layers',
  async (each) => {
    await renderInApp(<Keys inWorkspace={each.inWorkspace} />)
    screen.getByTestId('layers').innerHTML = each.layers
    expect(pressed(document.body, { key: 'a' })).toEqual(each.acting)
  },
)
