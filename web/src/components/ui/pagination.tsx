import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { IconButton } from './button.tsx'

type PaginationProps = Readonly<{
  page: number
  pageSize: number
  /** Total number of items. If the total is undefined, `itemsShown` determines whether another page exists. */
  total?: number
  itemsShown: number
  onPageChange: (page: number) => void
}>

export function Pagination({ page, pageSize, total, itemsShown, onPageChange }: PaginationProps) {
  const { t } = useTranslation()
  const from = itemsShown === 0 ? 0 : page * pageSize + 1
  const to = page * pageSize + itemsShown
  const hasNext = total === undefined ? itemsShown === pageSize : to < total
  const range = { from: formatNumber(from), to: formatNumber(to) }
  return (
    <nav aria-label={t('pagination.label')} className="line gap-3 row-between muted small">
      <span className="number">
        {total === undefined ? t('pagination.range', range) : t('pagination.rangeOf', { ...range, total: formatNumber(total) })}
      </span>
      <span className="row gap-1">
        <IconButton label={t('pagination.previous')} disabled={page === 0} onClick={() => onPageChange(page - 1)}>
          <ChevronLeft />
        </IconButton>
        <IconButton label={t('pagination.next')} disabled={!hasNext} onClick={() => onPageChange(page + 1)}>
          <ChevronRight />
        </IconButton>
      </span>
    </nav>
  )
}
