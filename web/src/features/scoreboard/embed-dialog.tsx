import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { CopyableCode } from '../../components/instances/copyable.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { addressOfCall } from '../../lib/http.ts'

type EmbedDialogProps = Readonly<{
  game: Readonly<{ id: number; title: string }>
  /** Team of the user. Undefined for visitors and users who did not join. */
  teamId: number | undefined
  onClose: () => void
}>

/** Dialog with addresses and HTML code that show a game on other websites. */
export function EmbedDialog({ game, teamId, onClose }: EmbedDialogProps) {
  const { t } = useTranslation('scoreboard')
  const addressAt = (path: string) => new URL(path, window.location.origin).href
  const params = { id: game.id }
  const frame = document.createElement('iframe')
  frame.src = addressAt(addressOfCall(ownOperations.getScoreboardEmbed, { params }))
  frame.title = game.title
  frame.width = '400'
  frame.height = '420'
  const parts = [
    { key: 'frame', text: frame.outerHTML },
    { key: 'badge', text: addressAt(addressOfCall(ownOperations.getGameBadge, { params })) },
    ...(teamId === undefined
      ? []
      : [
          {
            key: 'teamBadge',
            text: addressAt(addressOfCall(ownOperations.getGameBadge, { params, query: { team: teamId } })),
          } as const,
        ]),
    { key: 'notices', text: addressAt(addressOfCall(ownOperations.getNoticeFeed, { params })) },
  ] as const
  return (
    <Dialog open onOpenChange={onClose} title={t('embed.title')} description={t('embed.text')}>
      <dl className="stack gap-3">
        {parts.map(({ key, text }) => (
          <div key={key}>
            <dt className="small muted">{t(`embed.${key}`)}</dt>
            <dd>
              <CopyableCode text={text} label={t('embed.copy', { name: t(`embed.${key}`) })} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
