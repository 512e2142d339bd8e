import { operations, ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { CodeXml, FileBraces, FileLock, FileSpreadsheet, FileText, ImageDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { MenuItem, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { addressOfCall } from '../../lib/http.ts'
import { useSession } from '../../lib/session.ts'

type ExportMenuProps = Readonly<{
  trigger: ReactNode
  gameId: number
  onPicture: () => void
  onEmbed: () => void
}>

/** Menu to save the board as a file. Its code loads when the user clicks the button, so the menu is open from its first render. */
export function ExportMenu({ trigger, gameId, onPicture, onEmbed }: ExportMenuProps) {
  const { t } = useTranslation('scoreboard')
  const { role } = useSession()
  return (
    <PopupMenu trigger={trigger} defaultOpen>
      <MenuItem icon={<ImageDown aria-hidden />} end={t('action.imageHint')} onSelect={onPicture}>
        {t('action.image')}
      </MenuItem>
      <MenuItem icon={<CodeXml aria-hidden />} end="HTML" onSelect={onEmbed}>
        {t('action.embed')}
      </MenuItem>
      <MenuItem
        icon={<FileLock aria-hidden />}
        end="NDJSON"
        onSelect={() =>
          void downloadFile(addressOfCall(ownOperations.downloadChain, { params: { id: gameId } }), 'scoreboard.ndjson')
        }
      >
        {t('action.chain')}
      </MenuItem>
      {hasRole(role, 'Monitor') && (
        <>
          <MenuItem
            icon={<FileSpreadsheet aria-hidden />}
            end={t('action.sheetHint')}
            onSelect={() => void downloadFile(addressOfCall(operations.downloadScoreboard, { params: { id: gameId } }))}
          >
            {t('action.sheet')}
          </MenuItem>
          <MenuItem
            icon={<FileText aria-hidden />}
            end="CSV"
            onSelect={() => void downloadFile(addressOfCall(ownOperations.downloadScoreboardCsv, { params: { id: gameId } }))}
          >
            {t('action.sheet')}
          </MenuItem>
          <MenuItem
            icon={<FileBraces aria-hidden />}
            end="JSON"
            onSelect={() =>
              window.open(addressOfCall(ownOperations.getCtftimeFeed, { params: { id: gameId } }), '_blank', 'noopener')
            }
          >
            {t('action.ctftime')}
          </MenuItem>
        </>
      )}
    </PopupMenu>
  )
}
