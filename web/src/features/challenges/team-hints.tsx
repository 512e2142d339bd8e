import type { ChallengeView } from '@capstan/contract/challenges'
import type { HintOffer } from '@capstan/contract/hints'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { HintList } from './hints.tsx'

type TeamHintsProps = Readonly<{
  gameId: number
  challenge: Pick<ChallengeView, 'hintOffers' | 'hints' | 'id'>
  /** Current score of the team. */
  score: number
}>

/** Hints of a challenge, including hints that the team has not bought yet. */
export function TeamHints({ gameId, challenge, score }: TeamHintsProps) {
  const { t } = useTranslation('challenges')
  const [asked, setAsked] = useState<HintOffer>()
  const params = { id: gameId, cid: challenge.id }
  const buy = useAction(async ({ id, price }: HintOffer) => {
    try {
      await call(ownOperations.buyHint, { params: { ...params, hid: id }, body: { price } })
      setAsked(undefined)
    } finally {
      // The purchase may have been refused because the shown price is outdated, so read the price again.
      await Promise.all([
        refreshCall(operations.getChallenge, { params }),
        refreshCall(operations.getPlayerBoard, { params: { id: gameId } }),
      ])
    }
  })
  const close = () => {
    setAsked(undefined)
    buy.reset()
  }
  return (
    <>
      <HintList
        hints={(challenge.hints ?? []).map((text) => ({ text, price: 0 }))}
        offers={challenge.hintOffers}
        onBuy={setAsked}
      />
      {asked && (
        <ConfirmationDialog
          open
          onOpenChange={close}
          title={t('hints.title', { points: t('points', { count: asked.price }) })}
          description={t('hints.text', { score: formatNumber(score), after: formatNumber(score - asked.price) })}
          confirm={t('hints.confirm')}
          busy={buy.busy}
          error={buy.error === undefined ? undefined : <ErrorText error={buy.error} />}
          onConfirm={() => void buy.run(asked)}
        />
      )}
    </>
  )
}
