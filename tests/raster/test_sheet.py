import numpy as np
import pytest

from kagejax.raster.sheet import contact_sheet

RED = np.full((4, 6, 3), (250, 0, 0), np.uint8)


def test_pictures_stand_in_rows_with_gaps():
    sheet = contact_sheet([RED] * 3, columns=2)
    assert sheet.shape == (2 + 2 * 6, 2 + 2 * 8, 3) and sheet.dtype == np.uint8
    assert (sheet[2:6, 2:8] == RED).all() and (sheet[2:6, 10:16] == RED).all() and (sheet[8:12, 2:8] == RED).all()
    assert (sheet[8:12, 10:16] != RED).any(-1).all()


def test_scale_repeats_pixels():
    assert (contact_sheet([RED], 1, scale=3)[2:14, 2:20] == (250, 0, 0)).all()


def test_smaller_pictures_stand_at_the_bottom_middle():
    small = np.full((2, 2, 3), (0, 250, 0), np.uint8)
    sheet = contact_sheet([RED, small], 2)
    assert (sheet[4:6, 12:14] == (0, 250, 0)).all() and (sheet[2:4, 10:16] != (0, 250, 0)).any(-1).all()


def test_transparent_pixels_show_a_chequered_ground():
    clear = np.zeros((8, 8, 4), np.uint8)
    clear[0, 0] = (9, 8, 7, 255)
    sheet = contact_sheet([clear], 1)[2:10, 2:10]
    assert tuple(sheet[0, 0]) == (9, 8, 7)
    assert sheet[1, 1, 0] != sheet[1, 6, 0]


def test_labels_take_room_below_each_picture():
    plain, labelled = contact_sheet([RED], 1, scale=8), contact_sheet([RED], 1, ["ab"], scale=8)
    assert labelled.shape[0] == plain.shape[0] + 12
    assert (labelled[36:46] > 200).all(-1).any()


@pytest.mark.parametrize("pictures, columns, labels", [([], 2, None), ([RED], 0, None), ([RED], 1, ["a", "b"])])
def test_what_cannot_be_laid_out_is_refused(pictures, columns, labels):
    with pytest.raises(ValueError, match=r"contact sheet needs|one label for each"):
        contact_sheet(pictures, columns, labels)
