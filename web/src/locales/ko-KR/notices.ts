export default {
  title: '공지',
  titleOf: '{{game}} 공지',
  loading: '공지를 불러오는 중',
  filter: {
    label: '공지 보기',
    all: '전체',
    game: '대회',
    events: '이벤트',
    challenge: '문제',
  },
  before: {
    title: '대회가 아직 시작되지 않았습니다',
    text: '공지는 대회와 함께 열립니다. 운영진의 안내, 새 문제, 힌트, 퍼스트 블러드가 올라옵니다.',
  },
  empty: {
    title: '아직 공지가 없습니다',
    text: '운영진의 안내, 새 문제, 힌트, 퍼스트 블러드가 자동으로 나타납니다.',
  },
  emptyFilter: {
    game: {
      title: '운영진의 공지가 아직 없습니다',
      text: '운영진이 알리면 자동으로 나타납니다.',
    },
    events: {
      title: '아직 블러드가 없습니다',
      text: '문제를 처음 푼 세 팀이 여기에 나타납니다.',
    },
    challenge: {
      title: '새 문제나 힌트가 없습니다',
      text: '대회 중에 운영진이 추가하면 여기에 나타납니다.',
    },
  },
  showAll: '이전 공지 보기',
  more: '더 보기',
  today: '오늘',
  yesterday: '어제',
  type: {
    Normal: '안내',
    FirstBlood: '퍼스트 블러드',
    SecondBlood: '세컨드 블러드',
    ThirdBlood: '서드 블러드',
    NewHint: '새 힌트',
    NewChallenge: '새 문제',
  },
  text: {
    blood: '<who>{{team}}</who> 팀이 <what>{{challenge}}</what> 문제를 풀었습니다',
    NewHint: '<what>{{challenge}}</what> 문제에 힌트가 추가되었습니다',
    NewChallenge: '<what>{{challenge}}</what> 문제가 열렸습니다',
  },
  unread: { title: '읽지 않은 안내', read: '읽음으로 표시', readAll: '모두 읽음으로 표시' },
  fresh: '새 글',
  failed: '공지를 불러오지 못했습니다',
} as const
