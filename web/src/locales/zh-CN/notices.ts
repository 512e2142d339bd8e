export default {
  title: '通知',
  titleOf: '{{game}} 的通知',
  loading: '正在加载通知',
  filter: {
    label: '显示通知',
    all: '全部',
    game: '比赛',
    events: '事件',
    challenge: '题目',
  },
  before: {
    title: '比赛尚未开始',
    text: '通知随比赛开放：主办方公告、新题目、提示和一二三血。',
  },
  empty: {
    title: '还没有通知',
    text: '主办方公告、新题目、提示和一二三血会自动显示在这里。',
  },
  emptyFilter: {
    game: {
      title: '主办方还没有公告',
      text: '主办方发布的公告会自动显示在这里。',
    },
    events: {
      title: '还没有一血',
      text: '最先解出题目的三支队伍会显示在这里。',
    },
    challenge: {
      title: '没有新题目或提示',
      text: '主办方在比赛中添加后会显示在这里。',
    },
  },
  showAll: '显示更早的通知',
  more: '显示更多',
  today: '今天',
  yesterday: '昨天',
  type: {
    Normal: '公告',
    FirstBlood: '一血',
    SecondBlood: '二血',
    ThirdBlood: '三血',
    NewHint: '新提示',
    NewChallenge: '新题目',
  },
  text: {
    blood: '<who>{{team}}</who> 解出了 <what>{{challenge}}</what>',
    NewHint: '<what>{{challenge}}</what> 新增了提示',
    NewChallenge: '<what>{{challenge}}</what> 现已开放',
  },
  unread: { title: '未读公告', read: '标为已读', readAll: '全部标为已读' },
  fresh: '新',
  failed: '获取通知失败',
} as const
