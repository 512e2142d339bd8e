import { useTranslation } from 'react-i18next'
import { Skeleton } from './skeleton.tsx'
import { Table } from './table.tsx'

type TableSkeletonProps = Readonly<{
  /** Widths of the bars in the columns, as CSS lengths. */
  columns: readonly string[]
  rows?: number
  dense?: boolean
}>

export function TableSkeleton({ columns, rows = 8, dense }: TableSkeletonProps) {
  const { t } = useTranslation()
  return (
    <div role="status" aria-label={t('loading')}>
      <div aria-hidden inert>
        <Table label="" {...(dense && { dense })}>
          <tbody>
            {Array.from({ length: rows }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no identity
              <tr key={row}>
                {columns.map((width, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
                  <td key={column}>
                    <Skeleton width={width} height="12px" />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </div>
  )
}
