#!/usr/bin/env node
// Usage: node scripts/restore.mjs [--release NAME] [--namespace NAME] [--context NAME] FOLDER
//
// Restores a backup into a release that was installed from the chart, in a new or in the same cluster. The current data of the
// release is LOST. The release may have a newer version than the backup. Needs kubectl. See docs/operations.md.
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PlainError, runMain, runStep } from './bootstrap.mjs'
import { blobStoreOf, files, inApi, inDatabase, readRelease, requireBundledDatabase, secretNamesOf } from './lib/release.mjs'

const waitSeconds = 180

await runMain(async () => {
  const { release, namespace, folder, kubectl } = readRelease(
    'Usage: node scripts/restore.mjs [--release NAME] [--namespace NAME] [--context NAME] FOLDER',
  )
  const at = (name) => path.join(folder, name)
  if (!existsSync(at(files.about))) throw new PlainError(`${folder} is not a complete backup: it has no ${files.about}`)
  await requireBundledDatabase(release, kubectl)
  const api = `deployment/${release}-api`
  const { spec } = JSON.parse(await kubectl(['get', api, '--output', 'json']))
  const secretNames = await secretNamesOf(release, kubectl)

  await runStep('Stopping the api', async () => {
    await kubectl(['scale', api, '--replicas=0'])
    const pods = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=api`
    await kubectl(['wait', '--for=delete', 'pod', '--selector', pods, `--timeout=${waitSeconds}s`])
  })
  await runStep('Keys', async () => {
    for (const { name, data } of JSON.parse(readFileSync(at(files.secrets), 'utf8'))) {
      const metadata = { name: secretNames[name], namespace }
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data }
      // Apply only the data of the Secret, because helm manages its labels and annotations.
      await kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager=capstan-restore', '--filename', '-'], {
        from: JSON.stringify(secret),
      })
    }
  })
  await runStep('Database', async () => {
    const renew = 'dropdb --force --if-exists "$POSTGRES_DB" && createdb "$POSTGRES_DB"'
    const load = 'pg_restore --no-owner --exit-on-error --dbname "$POSTGRES_DB"'
    await kubectl(inDatabase(release, `${renew} && ${load}`), { from: createReadStream(at(files.database)) })
  })
  await runStep('Starting the api', async () => {
    // At its start, the api migrates the database to the api's version.
    await kubectl(['scale', api, `--replicas=${Math.max(1, spec.replicas ?? 1)}`])
    await kubectl(['rollout', 'status', api, `--timeout=${waitSeconds}s`])
  })
  if (existsSync(at(files.blobs)) && (await blobStoreOf(release, kubectl)) === 'folder')
    await runStep('Files', () =>
      kubectl(inApi(release, 'tar', '-C', '/data', '-xf', '-'), { from: createReadStream(at(files.blobs)) }),
    )
  // Restart gateway and web, because they read the internal token only at their start.
  await runStep('Restarting gateway and web', async () => {
    const others = [`deployment/${release}-gateway`, `deployment/${release}-web`]
    await kubectl(['rollout', 'restart', ...others])
    for (const one of others) await kubectl(['rollout', 'status', one, `--timeout=${waitSeconds}s`])
  })
})
