"""People whom the views do not agree on are told, never written in silence."""

from poselift.several_views.run import find_unmatched


def test_people_who_are_matched_give_no_warning():
    assert find_unmatched(["a", "b"], [{1: (1,), 2: (2,)}, {1: (2,), 2: (1,)}]) == []


def test_somebody_of_one_view_and_one_who_became_two_are_told():
    alone, twice = find_unmatched(["a", "b"], [{1: (1,), 2: ()}, {1: (2,), 2: (2,)}])
    assert (alone.person, alone.kind) == (2, "confusion")
    assert "person 2 is seen in b alone" in alone
    assert "b: one person there became persons 1 and 2" in twice
