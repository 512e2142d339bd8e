import { Skeleton } from '../../components/ui/skeleton.tsx'

export function SettingsSkeleton() {
  return (
    <div className="columns" aria-hidden>
      <div className="stack">
        <Skeleton height="420px" />
        <Skeleton height="150px" />
      </div>
      <div className="stack">
        <Skeleton height="240px" />
        <Skeleton height="180px" />
      </div>
    </div>
  )
}
