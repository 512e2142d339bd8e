import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ArrowLeft } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { TerminalDock } from '../../components/instances/terminal/terminal-dock.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { useAction } from '../../components/ui/form.ts'
import { useNow } from '../../components/ui/time.tsx'
import { toast } from '../../components/ui/toast.ts'
import { phaseOf } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refresh, setCallData, useCall } from '../../lib/server-state.ts'
import { AttachmentCard } from './attachment-card.tsx'
import { challengeFaultsOf, challengeFormOf, challengeUpdateOf, hasContainer } from './challenge-form.ts'
import { CheckList, checksOf } from './check-list.tsx'
import styles from './editor.module.css'
import { PlayerPreview } from './player-preview.tsx'
import { ContainerCard, FlagCard, ScoreCard, TextCard } from './sections.tsx'
import { TestContainer } from './test-container.tsx'
import { UpkeepCard } from './upkeep-card.tsx'
import { showStored } from './use-enabled.ts'
import { useTestReport } from './use-test-report.ts'

const containerFields = ['containerImage', 'containerExposePort', 'cpuCount', 'memoryLimit', 'storageLimit'] as const

interface ChallengeEditorProps {
  readonly game: AdminGame
  readonly challenge: ChallengeEdit
}

/** Everything of a challenge but its list of flags: form, and beside it what a player sees. */
export function ChallengeEditor({ game, challenge }: ChallengeEditorProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: game.id, cid: challenge.id }
  const { type } = challenge
  const draft = useDraft(`challenge-${game.id}-${challenge.id}`, challengeFormOf(challenge))
  const faults = useMemo(() => challengeFaultsOf(draft.value, type), [draft.value, type])
  const isRunning = phaseOf(game, useNow(30_000)) === 'running'
  const teams = useTeamCount(game.id, type === 'DynamicAttachment')
  const report = useTestReport(hasContainer(type) ? game.id : undefined, challenge.id, { isStarting: false })
  const checks = checksOf(challenge, { hasRun: report?.hasRun ?? false, teams })
  const save = useAction(async () => {
    const stored = await call(operations.adminGetChallenge, { params })
    await setCallData([operations.adminGetChallenge, { params }], stored)
    if (draft.conflictsWith(challengeFormOf(stored)).length > 0) return
    await showStored(game.id, await call(operations.updateChallenge, { params, body: challengeUpdateOf(draft.changes) }))
    draft.settle(draft.changes)
    if (hasContainer(type)) await refresh(ownOperations.getTestReport, { params })
    toast({ tone: 'ok', title: t('editor.saved') })
  })
  const section = { form: draft.value, faults, set: draft.set }
  return (
    <>
      <div className={styles.top}>
        <Link to={paths.adminGameChallenges.to(game.id)} className={styles.back}>
          <ArrowLeft aria-hidden />
          {t('editor.back')}
        </Link>
        <div className={styles.title}>
          <h1>{challenge.title}</h1>
          <Badge>{t(`type.${type}`)}</Badge>
        </div>
        <CheckList gameId={game.id} challenge={challenge} checks={checks} isRunning={isRunning} />
      </div>
      <div className={styles.editor}>
        <div className="stack">
          <TextCard {...section} />
          <FlagCard {...section} gameId={game.id} challenge={challenge} />
          {hasContainer(type) && (
            <>
              <ContainerCard {...section} />
              <TestContainer
                gameId={game.id}
                challenge={challenge}
                hasUnsaved={containerFields.some((field) => draft.changes[field] !== undefined)}
              />
            </>
          )}
          {type !== 'DynamicAttachment' && <AttachmentCard gameId={game.id} challenge={challenge} />}
          <ScoreCard {...section} solvers={challenge.acceptedCount} />
          <UpkeepCard gameId={game.id} challenge={challenge} onDelete={draft.discard} />
        </div>
        <PlayerPreview form={draft.value} challenge={challenge} />
      </div>
      <SaveBar
        draft={draft}
        labelOf={(field) => t(`field.${field}`)}
        busy={save.busy}
        error={save.error}
        faultCount={Object.keys(faults).length}
        onSave={() => void save.run()}
      />
      <TerminalDock />
    </>
  )
}

/** Teams that play or may yet: each takes a file of its own. */
export function useTeamCount(gameId: number, enabled: boolean): number {
  const { data } = useCall(operations.listParticipations, enabled ? { params: { id: gameId } } : null)
  return data?.filter(({ status }) => status === 'Accepted' || status === 'Pending').length ?? 0
}
