import type { GameSummary } from '@capstan/contract/games'
import type { PostSummary } from '@capstan/contract/posts'
import { Pin } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatDayRange } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'

export function PastGames({ games }: { readonly games: readonly GameSummary[] }) {
  const { t } = useTranslation()
  return (
    <ul className="frame clip divided">
      {games.map((game) => (
        <li key={game.id}>
          <Link to={paths.game.to(game.id)} className="stack gap-0 entry">
            <span className="line gap-3 row-between">
              <strong className="truncate">
                <bdi>{game.title}</bdi>
              </strong>
              <Badge>{t('game.phase.ended')}</Badge>
            </span>
            <span className="small muted">{formatDayRange(game.start, game.end)}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

export function LatestPosts({ posts }: { readonly posts: readonly PostSummary[] }) {
  const { t } = useTranslation('home')
  return (
    <ul className="frame clip divided">
      {posts.map((post) => (
        <li key={post.id}>
          <Link to={paths.post.to(post.id)} className="stack gap-0 entry">
            <span className="line gap-3 row-between">
              <strong className="truncate">
                <bdi>{post.title}</bdi>
              </strong>
              {post.isPinned && (
                <Badge tone="brand">
                  <Pin aria-hidden />
                  {t('pinned')}
                </Badge>
              )}
            </span>
            {post.summary && <span className="bidi clamp muted">{post.summary}</span>}
            <span className="tiny faint">
              <RelativeTime at={post.time} /> {post.authorName && t('by', { name: post.authorName })}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
