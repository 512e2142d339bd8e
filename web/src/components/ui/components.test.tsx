import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { ApiError, TransportError } from '../../lib/http.ts'
import { useColorScheme } from '../../stores/color-scheme.ts'
import { renderInApp } from '../../testing/render.tsx'
import { Button } from './button.tsx'
import { ConfirmationDialog, Dialog } from './dialog.tsx'
import { MenuItem, PopupMenu } from './dropdown-menu.tsx'
import { Checkbox, Field, Switch } from './field.tsx'
import { FileDrop } from './file-drop.tsx'
import { useAction } from './form.ts'
import { InlineText } from './inline-text.tsx'
import { Input, PasswordInput, SearchInput } from './input.tsx'
import { Markdown } from './markdown.tsx'
import { Pagination } from './pagination.tsx'
import { ErrorState } from './states.tsx'
import { showToast } from './toast.ts'
import { ToastRegion } from './toast-region.tsx'

const user = userEvent.setup()

function Search() {
  const [text, setText] = useState('')
  return <SearchInput label="Search teams" value={text} onValueChange={setText} />
}

/** Search box with a delayed value. The value changes when the test calls a function in `arrivals`. */
function LateSearch({ arrivals }: { readonly arrivals: (() => void)[] }) {
  const [text, setText] = useState('')
  const keep = (value: string) => void arrivals.push(() => setText(value))
  return (
    <>
      <SearchInput label="Search teams" value={text} onValueChange={keep} />
      <button type="button" onClick={() => setText('')}>
        Show all
      </button>
      <p>Found: {text}</p>
    </>
  )
}

function DialogExample() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>New team</Button>
      <Dialog open={open} onOpenChange={setOpen} title="Create team">
        <Field label="Name">{(control) => <Input {...control} />}</Field>
      </Dialog>
    </>
  )
}

function ActionExample({ perform }: { readonly perform: () => Promise<void> }) {
  const action = useAction(perform)
  const runTwice = () => {
    void action.run()
    void action.run()
  }
  return (
    <>
      <button type="button" onClick={runTwice}>
        Leave
      </button>
      <p>{action.error instanceof Error ? action.error.message : 'fine'}</p>
    </>
  )
}

describe('a field', () => {
  it('a field connects its label, hint and error to its control', async () => {
    await renderInApp(
      <Field label="Name" hint="Seen by all" error="Too short">
        {(control) => <Input {...control} />}
      </Field>,
    )
    const input = screen.getByRole('textbox', { name: 'Name' })
    expect(input.getAttribute('aria-invalid')).toBe('true')
    const described = (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
    expect(described).toEqual(['Seen by all', 'Too short'])
    expect(screen.getByRole('alert').textContent).toBe('Too short')
  })

  it('a password field shows the password on request', async () => {
    await renderInApp(<Field label="Password">{(control) => <PasswordInput {...control} />}</Field>)
    const input = screen.getByLabelText('Password')
    expect(input.getAttribute('type')).toBe('password')
    await user.click(screen.getByRole('button', { name: 'Show password' }))
    expect(input.getAttribute('type')).toBe('text')
  })

  it('a search field has a button that clears the entered text', async () => {
    await renderInApp(<Search />)
    const input = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search teams' })
    await user.type(input, 'night')
    expect(input.value).toBe('night')
    await user.click(screen.getByRole('button', { name: 'Clear' }))
    expect(input.value).toBe('')
  })

  it('an empty search field loses the focus on Escape', async () => {
    await renderInApp(<Search />)
    const box = screen.getByRole('searchbox')
    await user.type(box, 'gull')
    await user.keyboard('{Escape}')
    expect(document.activeElement).toBe(box)
    await user.clear(box)
    await user.keyboard('{Escape}')
    expect(document.activeElement).toBe(document.body)
  })

  it('a search field retains newer text if an earlier value arrives late', async () => {
    const arrivals: (() => void)[] = []
    await renderInApp(<LateSearch arrivals={arrivals} />)
    const input = screen.getByRole<HTMLInputElement>('searchbox')
    await user.type(input, 'an')
    act(() => arrivals[0]?.())
    expect(screen.getByText('Found: a')).toBeTruthy()
    await user.type(input, 'chor')
    expect(input.value).toBe('anchor')
    for (const arrive of arrivals) act(arrive)
    expect(screen.getByText('Found: anchor')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show all' }))
    expect(input.value).toBe('')
  })
})

it('the label of a switch or a checkbox is its accessible name', async () => {
  const changes: string[] = []
  await renderInApp(
    <>
      <Switch label="Practice mode" checked={false} onCheckedChange={(on) => changes.push(`switch ${on}`)} />
      <Checkbox label="Select team" bare checked={false} onCheckedChange={(on) => changes.push(`box ${on}`)} />
    </>,
  )
  await user.click(screen.getByRole('switch', { name: 'Practice mode' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select team' }))
  expect(changes).toEqual(['switch true', 'box true'])
})

it('a click on the help text of a switch or a checkbox toggles the control', async () => {
  const changes: string[] = []
  await renderInApp(
    <>
      <Switch label="Practice mode" hint="Stays open." checked={false} onCheckedChange={(on) => changes.push(`switch ${on}`)} />
      <Checkbox label="Keep files" hint="Uses space." checked={false} onCheckedChange={(on) => changes.push(`box ${on}`)} />
    </>,
  )
  expect(screen.getByRole('switch', { name: 'Practice mode', description: 'Stays open.' })).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: 'Keep files', description: 'Uses space.' })).toBeTruthy()
  await user.click(screen.getByText('Stays open.'))
  await user.click(screen.getByText('Uses space.'))
  expect(changes).toEqual(['switch true', 'box true'])
})

it('a busy button ignores a click and retains its name', async () => {
  let clicks = 0
  await renderInApp(
    <Button busy onClick={() => (clicks += 1)}>
      Save
    </Button>,
  )
  await user.click(screen.getByRole('button', { name: 'Save', busy: true }))
  expect(clicks).toBe(0)
})

function MenuToDialog() {
  const [isOpen, setOpen] = useState(false)
  const dialog = { open: true, onOpenChange: setOpen, title: 'Ban mira', description: 'Sessions end.', confirm: 'Ban' }
  return (
    <>
      <PopupMenu trigger={<Button>More</Button>}>
        <MenuItem onSelect={() => setOpen(true)}>Ban</MenuItem>
      </PopupMenu>
      {isOpen && <ConfirmationDialog {...dialog} onConfirm={() => undefined} />}
    </>
  )
}

/** Dialog with two steps: a question, then its result. */
function TwoSteps() {
  const [step, setStep] = useState<'asked' | 'done'>()
  const dialog = { open: true, onOpenChange: () => setStep(undefined) }
  const question = { title: 'Reset?', description: 'Sessions end.', confirm: 'Reset password' }
  return (
    <>
      <Button onClick={() => setStep('asked')}>Reset</Button>
      {step === 'asked' && <ConfirmationDialog {...dialog} {...question} onConfirm={() => setStep('done')} />}
      {step === 'done' && <Dialog {...dialog} title="New password" />}
    </>
  )
}

describe('a dialog', () => {
  it('a dialog focuses its content when it opens, closes on Escape and returns the focus', async () => {
    await renderInApp(<DialogExample />)
    await user.click(screen.getByRole('button', { name: 'New team' }))
    const dialog = screen.getByRole('dialog', { name: 'Create team' })
    expect(document.activeElement).toBe(within(dialog).getByRole('textbox', { name: 'Name' }))
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('dialog')).toBeNull()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New team' })))
  })

  it.each(['mouse', 'keyboard'])('if a menu item opened the dialog by %s, the focus returns to the menu button', async (by) => {
    await renderInApp(<MenuToDialog />)
    const more = screen.getByRole('button', { name: 'More' })
    more.focus()
    await (by === 'mouse' ? user.click(more) : user.keyboard('{Enter}'))
    const entry = screen.getByRole('menuitem', { name: 'Ban' })
    await (by === 'mouse' ? user.click(entry) : user.keyboard('{Enter}'))
    expect(await screen.findByRole('alertdialog', { name: 'Ban mira' })).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(more))
  })

  it('the focus returns to the element that opened the first of several consecutive dialogs', async () => {
    await renderInApp(<TwoSteps />)
    const reset = screen.getByRole('button', { name: 'Reset' })
    await user.click(reset)
    await user.click(await screen.findByRole('button', { name: 'Reset password' }))
    expect(await screen.findByRole('dialog', { name: 'New password' })).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(reset))
  })

  it('a dialog requires the user to type a text before an irreversible action', async () => {
    let deleted = 0
    await renderInApp(
      <ConfirmationDialog
        open
        danger
        onOpenChange={() => undefined}
        title="Delete game"
        description="Everything goes."
        typeToConfirm="Harbour"
        confirm="Delete game"
        onConfirm={() => (deleted += 1)}
      />,
    )
    const dialog = screen.getByRole('alertdialog', { name: 'Delete game' })
    const confirm = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete game' })
    expect(confirm.disabled).toBe(true)
    await user.type(within(dialog).getByRole('textbox'), 'Harbour')
    await user.click(confirm)
    expect(deleted).toBe(1)
  })

  it('a dialog accepts a text that is copied from its label, including direction marks', async () => {
    await renderInApp(
      <ConfirmationDialog
        open
        onOpenChange={() => undefined}
        title="Delete game"
        description="Everything goes."
        typeToConfirm="ميناء 7"
        confirm="Delete game"
        onConfirm={() => undefined}
      />,
    )
    const copied = screen.getByText(/^Type/).textContent?.match(/“(.*)”/)?.[1] ?? ''
    expect(copied).toBe('\u2068ميناء 7\u2069')
    await user.click(screen.getByRole('textbox'))
    await user.paste(copied)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Delete game' }).disabled).toBe(false)
  })
})

it('a menu opens and selects an item by keyboard', async () => {
  const chosen: string[] = []
  await renderInApp(
    <PopupMenu trigger={<Button>More</Button>}>
      <MenuItem onSelect={() => chosen.push('edit')}>Edit</MenuItem>
      <MenuItem onSelect={() => chosen.push('delete')}>Delete</MenuItem>
    </PopupMenu>,
  )
  screen.getByRole('button', { name: 'More' }).focus()
  await user.keyboard('{Enter}')
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Edit', 'Delete'])
  await user.keyboard('{ArrowDown}{Enter}')
  expect(chosen).toEqual(['delete'])
})

it('a toast offers to undo an action', async () => {
  let undone = 0
  await renderInApp(<ToastRegion />)
  showToast({ title: 'Team rejected', action: { label: 'Undo', run: () => (undone += 1) } })
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(undone).toBe(1)
})

describe('an error state', () => {
  it("an error state shows the server's message, and its button retries", async () => {
    let asked = 0
    const error = new ApiError({ title: 'There is no such game', status: 404, httpStatus: 404 })
    await renderInApp(<ErrorState error={error} onRetry={() => (asked += 1)} />)
    expect(screen.getByRole('alert').textContent).toContain('There is no such game')
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(asked).toBe(1)
  })

  it('an error state explains what to do if a file is unreadable', async () => {
    const error = new ApiError({ title: 'Failed to load file', code: 'file.unreadable', status: 400, httpStatus: 400 })
    await renderInApp(<ErrorState error={error} />)
    expect(screen.getByRole('alert').textContent).toContain('Failed to load file. Please check file format and size')
  })

  it('an error state explains what to do if the connection fails', async () => {
    await renderInApp(<ErrorState error={new TransportError('network', 'Network Error')} />)
    expect(screen.getByRole('alert').textContent).toContain('Network Error. Check your connection and try again.')
  })

  it('an error state links to the profile if the role needs a second factor', async () => {
    const error = new ApiError({ title: 'Set one up', code: 'second-factor.required', status: 403, httpStatus: 403 })
    await renderInApp(<ErrorState error={error} />)
    expect(screen.getByRole('link', { name: 'Profile' }).getAttribute('href')).toBe('/account/profile')
  })

  it('after too many requests, the retry button remains disabled until the required wait is over', async () => {
    const error = new ApiError({ title: 'Too many requests', status: 429, httpStatus: 429, retryAfterSeconds: 30 })
    await renderInApp(<ErrorState error={error} onRetry={() => undefined} />)
    expect(screen.getByRole('alert').textContent).toContain('Too many requests. Try again in 30 seconds.')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Try again in 30 s' }).disabled).toBe(true)
  })
})

it('pagination detects the last page if the total is unknown', async () => {
  await renderInApp(<Pagination page={1} pageSize={20} itemsShown={7} onPageChange={() => undefined} />)
  expect(screen.getByText('21 to 27')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next page' }).disabled).toBe(true)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Previous page' }).disabled).toBe(false)
})

it('a file field reports the chosen files, and has an accessible name', async () => {
  const given: string[] = []
  await renderInApp(<FileDrop label="Choose writeup" onFiles={(files) => given.push(...files.map((file) => file.name))} />)
  await user.upload(screen.getByLabelText('Choose writeup'), new File(['x'], 'writeup.pdf'))
  expect(given).toEqual(['writeup.pdf'])
})

it('a file that is dropped outside of the drop zone does not replace the page', async () => {
  const { unmount } = await renderInApp(<FileDrop label="Poster" onFiles={() => undefined} />)
  const dropBeside = () => document.body.dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }))
  expect(dropBeside()).toBe(false)
  unmount()
  expect(dropBeside()).toBe(true)
})

it('an action does not run twice at the same time, and retains its error', async () => {
  let runs = 0
  await renderInApp(
    <ActionExample
      perform={async () => {
        runs += 1
        await Promise.resolve()
        throw new Error('The team is locked')
      }}
    />,
  )
  await user.click(screen.getByRole('button', { name: 'Leave' }))
  expect(await screen.findByText('The team is locked')).toBeTruthy()
  expect(runs).toBe(1)
})

describe('Markdown', () => {
  it('rendered Markdown contains no scripts, styles or forms, and its links are safe', async () => {
    await renderInApp(
      <Markdown
        source={
          '# Title\n\n[site](https://example.org) <img src=x onerror=alert(1)> <b style="color:red">bold</b>\n\n<script>alert(1)</script><form action="/x"><input></form>\n\n[bad](javascript:alert(1))'
        }
      />,
    )
    const link = await screen.findByRole('link', { name: 'site' })
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(link.getAttribute('target')).toBe('_blank')
    expect(document.querySelector('body > div :is(script, form, input, [onerror], [style])')).toBeNull()
    expect(screen.getByText('bad').getAttribute('href')).toBeNull()
  })

  it('headings in Markdown are one level below the heading of the page', async () => {
    await renderInApp(<Markdown source={'# Rules\n\n## Conduct\n\n<h1>Prizes</h1>\n\n`<h1>`'} />)
    expect(await screen.findByRole('heading', { level: 2, name: 'Rules' })).toBeTruthy()
    expect(screen.getByRole('heading', { level: 3, name: 'Conduct' })).toBeTruthy()
    expect(screen.getByRole('heading', { level: 2, name: 'Prizes' })).toBeTruthy()
    expect(screen.getByText('<h1>')).toBeTruthy()
  })

  it('formulas in Markdown are rendered', async () => {
    await renderInApp(<Markdown source={'Mass: $E=mc^2$, price 5$ and 6$.'} />)
    await waitFor(() => expect(document.querySelectorAll('.katex')).toHaveLength(1), { timeout: 120_000 })
    expect(document.body.textContent).toContain('price 5$ and 6$')
  })

  it('Markdown shows the source of a formula while its font loads', async () => {
    const letters = Promise.withResolvers<void>()
    const before = Object.getOwnPropertyDescriptor(document, 'fonts') ?? {}
    Object.defineProperty(document, 'fonts', { value: { ready: letters.promise }, configurable: true })
    await renderInApp(<Markdown source={'Mass: $E=mc^2$'} />)
    await waitFor(() => expect(document.querySelector('.visually-hidden .katex')).toBeTruthy(), { timeout: 120_000 })
    const shown = () => document.querySelector('[data-formula]')?.firstChild
    expect(shown()?.textContent).toBe('$E=mc^2$')
    letters.resolve()
    await waitFor(() => expect((shown() as Element).className).toBe('katex'))
    Object.defineProperty(document, 'fonts', before)
  })

  it('code in Markdown is highlighted again if the color scheme changes', async () => {
    await renderInApp(<Markdown source={'```js\nconst anchor = 1\n```'} />)
    const color = () => screen.queryByText('const')?.style.color ?? ''
    await waitFor(() => expect(color()).not.toBe(''))
    const dark = color()
    act(() => useColorScheme.setState({ choice: 'light' }))
    await waitFor(() => expect(['', dark]).not.toContain(color()))
    act(() => useColorScheme.setState({ choice: 'dark' }))
  })

  it('a text needs no Markdown parser if links are its only Markdown syntax', async () => {
    await renderInApp(<InlineText source="Hosted by the [lab](https://lab.example), see [about](/about)." />)
    expect(screen.getByRole('link', { name: 'lab' }).getAttribute('rel')).toBe('noopener noreferrer')
    expect(screen.getByRole('link', { name: 'about' }).getAttribute('href')).toBe('/about')
  })
})
