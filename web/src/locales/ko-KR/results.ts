/** A game that is over: who won, and how. */
export default {
  title: '결과',
  podium: '상위 세 팀',
  none: '점수를 얻은 팀이 없습니다.',
  own: '우리 팀',
  rank: '순위',
  score: '점수',
  solved: '해결함',
  of: '{{total}} 중 {{part}}',
  progress: '시간에 따른 점수',
  writeup: '우리 팀 라이트업',
  bloods: '퍼스트 블러드 최다',
  statistics: '문제별',
  all: '{{count}}개 모두 보기',
  unsolved: '아직 해결 없음',
  column: {
    challenge: '문제',
    points: '점수',
    solves: '해결 수',
    first: '퍼스트 블러드',
  },
  points_other: '{{count, number}}점',
} as const
