#!/usr/bin/env node
// Usage: node scripts/backup.mjs [--release NAME] [--namespace NAME] [--context NAME] FOLDER
//
// Copies the database, the files and the keys of a running release into FOLDER. None of these can be generated again. FOLDER
// then contains secrets: protect it as you protect the release. Needs kubectl. See docs/operations.md.
import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PlainError, runMain, runStep } from './bootstrap.mjs'
import {
  blobStoreOf,
  files,
  inApi,
  inDatabase,
  packFilesCommand,
  readRelease,
  readSecrets,
  requireBundledDatabase,
} from './lib/release.mjs'

await runMain(async () => {
  const { release, namespace, folder, kubectl } = readRelease(
    'Usage: node scripts/backup.mjs [--release NAME] [--namespace NAME] [--context NAME] FOLDER',
  )
  await requireBundledDatabase(release, kubectl)
  // Read the secrets first, because a backup without them is useless.
  const secrets = await readSecrets(release, kubectl)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length > 0) throw new PlainError(`${folder} is not empty`)
  const file = (name) => createWriteStream(path.join(folder, name), { mode: 0o600 })

  // Copy the database before the files. Stored files never change, so the copy then contains all files to which the database
  // refers.
  await runStep('Database', () =>
    kubectl(inDatabase(release, 'pg_dump --format=custom --no-owner "$POSTGRES_DB"'), { to: file(files.database) }),
  )
  const blobs = await blobStoreOf(release, kubectl)
  if (blobs === 'folder')
    await runStep('Files', () => kubectl(inApi(release, 'sh', '-c', packFilesCommand('/data')), { to: file(files.blobs) }))
  else console.log('  Files are in S3 and not in this backup; use the versioning and replication of S3')
  await runStep('Keys', () => writeFileSync(path.join(folder, files.secrets), JSON.stringify(secrets), { mode: 0o600 }))
  if (!secrets.some(({ name }) => name === 'admin')) console.log('  The password of the first admin is no longer in a Secret')
  // Write this file last, so that an interrupted backup does not look complete.
  writeFileSync(path.join(folder, files.about), JSON.stringify({ release, namespace, blobs, at: new Date().toISOString() }))
  console.log(
    `\n  ${folder} contains secrets. Restore it with: node scripts/restore.mjs --release NAME --namespace NAME ${folder}`,
  )
})
