import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { collectChosenFiles } from './collect-files.ts'
import { packFiles } from './pack-files.ts'

function fileAt(path: string, text: string): File {
  const file = new File([text], path.split('/').at(-1) ?? '')
  Object.defineProperty(file, 'webkitRelativePath', { value: path })
  return file
}

test('the files of a folder are packed with their paths, but folders such as .git are skipped', async () => {
  const packed = await packFiles(collectChosenFiles([fileAt('ctf/web/a.txt', 'A'), fileAt('ctf/.git/config', 'no')]))
  expect(packed.name).toBe('ctf.zip')
  const files = unzipSync(new Uint8Array(await packed.arrayBuffer()))
  expect(Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])).toEqual([['ctf/web/a.txt', 'A']])
})

test('an archive is returned unchanged', async () => {
  const archive = new File(['PK'], 'event.zip')
  expect(await packFiles(collectChosenFiles([archive]))).toBe(archive)
})

test('a single CSV file of challenges is packed under the name challenges.csv', async () => {
  const packed = await packFiles(collectChosenFiles([new File(['name,value'], 'juice-shop (2).CSV')]))
  expect(packed.name).toBe('challenges.zip')
  const files = unzipSync(new Uint8Array(await packed.arrayBuffer()))
  expect(Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ['challenges.csv', 'name,value'],
  ])
})

test('a CSV file that is inside a folder retains its name', async () => {
  const packed = await packFiles(collectChosenFiles([fileAt('web/teams.csv', 'a,b')]))
  expect(Object.keys(unzipSync(new Uint8Array(await packed.arrayBuffer())))).toEqual(['web/teams.csv'])
})
