import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { FileTree } from '@capstan/challenge-files/tree'
import { openFolder } from '../folder-tree.ts'
import { formatSurvey } from './print.ts'
import { type Survey, sumSurveys, surveyTree } from './survey.ts'

/** Returns a tree whose paths start with the given folder, so that messages about its files also show the repository. */
function below(tree: FileTree, folder: string): FileTree {
  const start = `${folder}/`
  return {
    paths: tree.paths.map((path) => start + path),
    readText: (path, maxBytes) => tree.readText(path.slice(start.length), maxBytes),
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false } } })
const [folder, ...others] = positionals
if (folder === undefined || others.length > 0) {
  process.stderr.write('Usage: npm run corpus -- [--json] FOLDER\n')
  process.exitCode = 2
} else {
  const repositories = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== '.git',
  )
  const surveys = repositories.map(({ name }): Survey => surveyTree(below(openFolder(join(folder, name)), name)))
  const survey = sumSurveys(surveys)
  process.stdout.write(values.json ? `${JSON.stringify(survey, undefined, 2)}\n` : `${formatSurvey(survey).join('\n')}\n`)
}
