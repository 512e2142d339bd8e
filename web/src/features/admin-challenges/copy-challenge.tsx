import type { ChallengeBrief } from '@capstan/contract/challenges'
import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { IconButton } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { showErrorToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'

type CopyChallengeProps = Readonly<{
  gameId: number
  challenge: Pick<ChallengeBrief, 'id' | 'title'>
}>

/** Copies a challenge and opens the copy. The copy is not enabled. */
export function CopyChallengeButton({ gameId, challenge: { id, title } }: CopyChallengeProps) {
  const { t } = useTranslation('admin-challenges')
  const navigate = useNavigate()
  const clone = async () => {
    const body = { title: t('copy.of', { title }).slice(0, InputLimits.maxTitleLength) }
    const made = await call(ownOperations.cloneChallenge, { params: { id: gameId, cid: id }, body })
    await navigate(paths.adminGameChallenge.to(gameId, made.id))
    await refreshCall(operations.adminListChallenges, { params: { id: gameId } })
  }
  const copy = useAction(async () => {
    try {
      await clone()
    } catch (error) {
      showErrorToast(error)
    }
  })
  return (
    <IconButton size="small" label={t('copy.action', { title })} busy={copy.busy} onClick={() => void copy.run()}>
      <Copy />
    </IconButton>
  )
}
