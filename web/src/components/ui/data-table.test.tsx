import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { type Column, DataList, DataTable, RowNameCell, updateSelection } from './data-table.tsx'

type Boat = Readonly<{
  id: number
  name: string
  crew: number
}>

const user = userEvent.setup()
const boats: readonly Boat[] = [
  { id: 1, name: 'Buoy', crew: 3 },
  { id: 2, name: 'Seal', crew: 5 },
]
const drawn = vi.fn((name: string) => name)
const columns: readonly Column<Boat>[] = [
  { head: 'Boat', kind: 'name', bare: true, cell: ({ name }) => drawn(name) },
  { head: 'Crew', kind: 'end', cell: ({ crew }) => crew },
  { head: 'Actions', kind: 'actions', cell: ({ name }) => <button type="button">Sink {name}</button> },
]
function keyOf({ id }: Boat) {
  return id
}
function labelOf({ name }: Boat) {
  return `Select ${name}`
}
const table = { label: 'Boats', columns, keyOf }
const onRetry = vi.fn()

beforeEach(() => {
  drawn.mockClear()
  onRetry.mockClear()
})

it('the name cell of each row is a row header, and the other cells have the column name as a label', async () => {
  await renderInApp(<DataTable {...table} rows={boats} rowProps={({ crew }) => ({ 'data-crew': crew })} />)
  const row = screen.getByRole('row', { name: /Buoy/ })
  expect(row.dataset.crew).toBe('3')
  expect(within(row).getByRole('rowheader').dataset.label).toBeUndefined()
  expect(
    within(row)
      .getAllByRole('cell')
      .map(({ dataset }) => dataset.label),
  ).toEqual(['Crew', undefined])
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Boat', 'Crew', 'Actions'])
})

function Fleet() {
  const [keys, setKeys] = useState<ReadonlySet<number>>(new Set())
  const [onSelect] = useState(
    () => (ids: readonly number[], isOn: boolean) => setKeys((known) => updateSelection(known, ids, isOn)),
  )
  return <DataTable {...table} rows={boats} selection={{ keys, onSelect, allLabel: 'Select all', labelOf }} />
}

it('the table selects single rows or all rows, and renders only changed rows again', async () => {
  await renderInApp(<Fleet />)
  drawn.mockClear()
  await user.click(screen.getByRole('checkbox', { name: 'Select Seal' }))
  expect(drawn.mock.calls).toEqual([['Seal']])
  expect(screen.getByRole('row', { name: /Seal/ }).getAttribute('aria-selected')).toBe('true')
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all' })
  expect(all.indeterminate).toBe(true)
  await user.click(all)
  expect(screen.getAllByRole<HTMLInputElement>('checkbox').map(({ checked }) => checked)).toEqual([true, true, true])
  await user.click(all)
  expect(screen.getByRole('row', { name: /Buoy/ }).getAttribute('aria-selected')).toBe('false')
})

it('the table shows a loading state, an error, an empty list, or rows with pagination', async () => {
  const list = { ...table, error: undefined, onRetry, empty: <p>No boats</p> }
  const paging = { page: 0, pageSize: 2, total: 9, itemsShown: 2, onPageChange: vi.fn() }
  const loading = await renderInApp(<DataList {...list} rows={undefined} />)
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy()
  loading.unmount()
  const failed = await renderInApp(<DataList {...list} rows={undefined} error={new Error('lost')} />)
  await user.click(within(screen.getByRole('alert')).getByRole('button'))
  expect(onRetry).toHaveBeenCalledOnce()
  failed.unmount()
  const empty = await renderInApp(<DataList {...list} rows={[]} paging={paging} />)
  expect(screen.getByText('No boats')).toBeTruthy()
  expect(screen.queryByRole('navigation')).toBeNull()
  empty.unmount()
  await renderInApp(<DataList {...list} rows={boats} error={new Error('the next read failed')} paging={paging} />)
  expect(screen.getAllByRole('row')).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Next page' }))
  expect(paging.onPageChange).toHaveBeenCalledWith(1)
})

it('the user opens a row by its name, which is a button or a link', async () => {
  const open = vi.fn()
  await renderInApp(
    <>
      <RowNameCell onOpen={open} note="A small boat">
        Buoy
      </RowNameCell>
      <RowNameCell to="/boats/2">Seal</RowNameCell>
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Buoy' }))
  expect(open).toHaveBeenCalledOnce()
  expect(screen.getByText('A small boat')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Seal' }).getAttribute('href')).toBe('/boats/2')
})

it('the name and the second line of a row have isolated text directions', async () => {
  await renderInApp(
    <RowNameCell onOpen={() => undefined} note="x שלום">
      ميناء 7
    </RowNameCell>,
  )
  expect(['ميناء 7', 'x שלום'].map((text) => screen.getByText(text).tagName)).toEqual(['BDI', 'BDI'])
})
