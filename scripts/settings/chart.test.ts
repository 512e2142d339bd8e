import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ProcessName, processNames, settingsOfProcess } from './processes.ts'

const root = path.join(import.meta.dirname, '..', '..')
const chart = path.join(root, 'charts', 'capstan')
const templates = path.join(chart, 'templates')

/** Map from each template that contains a pod to the process that runs in the pod. */
const pods: Record<string, ProcessName> = {
  'api/api.yaml': 'api',
  'gateway/gateway.yaml': 'gateway',
  'web/web.yaml': 'web',
  'operator/operator.yaml': 'operator',
  'operator/uninstall-job.yaml': 'operator',
  'names/names.yaml': 'names',
  'doctor/_pod.tpl': 'doctor',
  'live-check/live-check.yaml': 'live check',
}

/** Environment variable that libraries read. Every image sets it. */
const ofNode = 'NODE_ENV'

const files = readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(yaml|tpl)$/.test(name))
const texts = new Map(files.map((name) => [name.replaceAll(path.sep, '/'), readFileSync(path.join(templates, name), 'utf8')]))

/** Map from the name of each named template to its text. Other templates include named templates. */
const pieces = new Map(
  [...texts.values()].flatMap((text) =>
    text
      .split('{{- define "')
      .slice(1)
      .map((piece): [string, string] => [piece.slice(0, piece.indexOf('"')), piece]),
  ),
)

type Given = Readonly<{
  name: string
  isFromSecret: boolean
}>

/** Returns the environment variables that a template sets directly or through included templates. */
function variablesOf(text: string): Given[] {
  const own = [...text.matchAll(/- (?:\{ )?name: ([A-Z][A-Z0-9_]+)(?=(.*\n.*))/g)].map(([, name = '', rest = '']) => ({
    name,
    isFromSecret: rest.includes('secretKeyRef'),
  }))
  const included = [...text.matchAll(/include "(capstan\.[A-Za-z]+Env)"/g)].flatMap(([, piece = '']) => {
    const content = pieces.get(piece)
    if (content === undefined) throw new Error(`No template defines ${piece}`)
    return variablesOf(content)
  })
  return [...own, ...included]
}

describe.each(Object.entries(pods))('the environment variables that %s sets', (file, name) => {
  const variables = variablesOf(texts.get(file) ?? '').filter((variable) => variable.name !== ofNode)
  const settings = new Map(settingsOfProcess(name).map((setting) => [setting.name, setting]))
  /** True if the variable has the suffix `_FILE` and names a mounted file. Each setting can be read from such a file. */
  const isFile = ({ name: variable }: Given) => settings.has(variable.replace(/_FILE$/, ''))

  it('each variable that the chart sets has a description', () => {
    expect(variables.length).toBeGreaterThan(2)
    expect(variables.filter((variable) => !settings.has(variable.name) && !isFile(variable))).toEqual([])
  })

  it('secret variables come from a Secret, and no other variables do', () => {
    const isSecret = ({ name: variable }: Given) => settings.get(variable)?.kind.isSecret
    const named = variables.filter(({ name: variable }) => settings.has(variable))
    expect(named.filter((variable) => variable.isFromSecret !== isSecret(variable))).toEqual([])
  })
})

it('no other template of the chart sets a variable of the platform', () => {
  const isPiece = (name: string) => path.basename(name).startsWith('_')
  const others = [...texts].filter(([name]) => !(name in pods) && !isPiece(name))
  expect(others.flatMap(([, text]) => variablesOf(text)).filter(({ name }) => name.startsWith('CAPSTAN_'))).toEqual([])
})

it('every variable that a document mentions has a description', () => {
  const documents = [
    ...readdirSync(path.join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(root, 'docs', name)),
    ...['README.md', 'ARCHITECTURE.md', 'web/Dockerfile', 'charts/capstan/values.yaml'].map((name) => path.join(root, name)),
    path.join(templates, 'NOTES.txt'),
  ]
  const described = new Set(processNames.flatMap((name) => settingsOfProcess(name).map((setting) => setting.name)))
  const isOfBuild = (name: string) => /^CAPSTAN_(BUILD_[A-Z]+|REPOSITORY_URL)$/.test(name)
  const isOfCommand = (name: string) => /^CAPSTAN_(URL|TOKEN)$/.test(name)
  const named = documents.flatMap((file) => readFileSync(file, 'utf8').match(/\bCAPSTAN_[A-Z0-9_]+\b/g) ?? [])
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !described.has(name) && !isOfBuild(name) && !isOfCommand(name))).toEqual([])
})
