import type { AdminGame } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { useFocusOnAddressedField } from '../../components/editing/use-field-of-address.ts'
import { useAction } from '../../components/ui/form.ts'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import { ArchiveCard } from './archive-card.tsx'
import { DeleteGame } from './delete-game.tsx'
import { DivisionsCard } from './divisions-card.tsx'
import { findGameFaults, type GameForm, toGameForm, toGameRequest } from './game-form.ts'
import {
  BasicsCard,
  QuestionsSection,
  RegistrationCard,
  ScoringCard,
  TimesCard,
  VisibilityCard,
  WriteupsCard,
} from './game-sections.tsx'
import { PosterCard } from './poster-card.tsx'
import { PublicKeyCard } from './public-key-card.tsx'
import { RecountSolversCard } from './recount-card.tsx'
import { RevealScoreboardCard } from './reveal-card.tsx'

/**
 * Names of form fields by the name of the request member. Contains only fields whose name differs from the name of the member.
 */
const names = {
  writeupDeadline: 'writeupHours',
  bloodBonus: 'bloodFirst',
  bloodPoints: 'bloodFirst',
} as const satisfies Record<string, keyof GameForm>

const writeupFields: readonly string[] = ['writeupHours', 'writeupNote'] satisfies (keyof GameForm)[]

/** Returns the fields that are visible. Fields for writeups are visible only if writeups are required. */
function shownFields(form: GameForm) {
  return (Object.keys(form) as (keyof GameForm)[]).filter((field) => form.writeupRequired || !writeupFields.includes(field))
}

export function GameSettings({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation('admin-game')
  useFocusOnAddressedField()
  const params = { id: game.id }
  const draft = useDraft(`game-${game.id}`, toGameForm(game))
  const faults = findGameFaults(draft.value)
  const save = useAction(async () => {
    // Read the changes of other users first, because PUT replaces every field.
    const stored = await call(operations.adminGetGame, { params })
    await setCallData([operations.adminGetGame, { params }], stored)
    if (draft.conflictsWith(toGameForm(stored)).length > 0) return
    const saved = await call(operations.updateGame, { params, body: toGameRequest(stored, draft.changes) })
    await setCallData([operations.adminGetGame, { params }], saved)
    draft.settle(draft.changes)
    await refreshCall(operations.getGame, { params })
    showToast({ tone: 'ok', title: t('saved') })
  })
  const refusal = toFormRefusal(save.error, shownFields(draft.value), names)
  const set = (patch: Partial<GameForm>) => {
    if (refusal.field && refusal.field in patch) save.reset()
    draft.set(patch)
  }
  const section = { form: draft.value, faults, refusalOf: refusal.of, set }
  return (
    <>
      <div className="columns">
        <div className="stack">
          <BasicsCard {...section} />
          <TimesCard {...section} />
          <RegistrationCard {...section} />
          <QuestionsSection {...section} />
          <DivisionsCard game={game} />
          <WriteupsCard {...section} />
        </div>
        <div className="stack">
          <PosterCard game={game} />
          <VisibilityCard {...section} />
          <ScoringCard {...section} />
          <RevealScoreboardCard game={game} />
          <PublicKeyCard publicKey={game.publicKey} />
          <ArchiveCard game={game} />
          <RecountSolversCard gameId={game.id} />
          <DeleteGame game={game} onDelete={draft.discard} />
        </div>
      </div>
      <SaveBar
        draft={draft}
        labelOf={(field) => t(`field.${field}`)}
        busy={save.busy}
        error={save.error}
        refused={refusal.field}
        faulty={Object.keys(faults) as (keyof GameForm)[]}
        onSave={() => void save.run()}
        onDiscard={save.reset}
      />
    </>
  )
}
