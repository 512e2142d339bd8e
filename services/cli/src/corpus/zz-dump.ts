import { readdirSync, writeFileSync, readFileSync } from 'node:fs'
import { importTree, importCompose, listUnreadDescriptors } from '@capstan/challenge-files/importers/import'
import { isComposeFileName } from '@capstan/challenge-files/importers/service-files'
import { formatFinding } from '@capstan/challenge-files/report'
import { openFolder } from '../folder-tree.ts'
const roots = process.argv.slice(3)
const out = process.argv[2]
const all: any[] = []
for (const root of roots) for (const name of readdirSync(root)) {
  const tree = openFolder(root + '/' + name)
  const t = Date.now()
  let found: any[] = []
  try { found = importTree(tree) as any } catch (e) { console.log(name, 'THROW', e); continue }
  const unread = listUnreadDescriptors(tree, found)
  const compose = tree.paths.filter(isComposeFileName)
  let ok = 0
  const bad: string[] = []
  for (const file of compose) { const c = importCompose(tree, file); if (c.challenge) ok++; else bad.push(file + ': ' + c.findings.filter(f => f.outcome === 'refused').map(f => formatFinding(f)).join(' | ')) ; all.push({repo: root+'/'+name, kind: 'compose', file, challenge: c.challenge, findings: c.findings}) }
  const by: any = {}
  for (const i of found) { const b = by[i.dialect] ??= {n: 0, ok: 0, flags: 0}; b.n++; if (i.challenge) { b.ok++; if (i.challenge.flags.length) b.flags++ } }
  for (const i of found) all.push({repo: root+'/'+name, kind: 'desc', ...i})
  console.log(name, Date.now() - t, 'ms', JSON.stringify(by), `compose ${ok}/${compose.length}`, unread.length ? 'unread ' + unread.slice(0, 10).join(' ') : '')
  for (const i of found) if (!i.challenge) console.log('  REFUSED', i.file, i.findings.filter((f: any) => f.outcome === 'refused').map((f: any) => formatFinding(f)).join(' | ').slice(0, 400))
  for (const b of bad) console.log('  COMPOSE', b.slice(0, 400))
}
writeFileSync(out, JSON.stringify(all))
