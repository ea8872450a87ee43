// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Settlement} from "../Settlement.sol";
import {HolderAccount} from "../HolderAccount.sol";
import {Stand} from "./Cheats.sol";

contract SettlementTest is Stand {
    uint256 private constant KEY = 11;
    uint96 private constant DOLLAR = 1_000_000;
    bytes32 private constant BATCH = "batch";

    function setUp() public {
        _deploy();
        token.mint(_accountOf(_approval(KEY, DOLLAR)), 100 * DOLLAR);
        vm.prank(SHOP);
        token.approve(address(settlement), type(uint256).max);
    }

    function _expectNothing(Settlement.Reason reason) private {
        vm.expectRevert(abi.encodeWithSelector(Settlement.NothingLanded.selector, reason));
    }

    function test_money_goes_from_the_account_to_the_payee_and_the_treasury() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.Captured(BATCH, settlement.approvalHash(approval), 0, _accountOf(approval), 10 * DOLLAR);
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.Settled(BATCH, SHOP, 10 * DOLLAR, 0, 290_000);
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 0, 10 * DOLLAR));
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 290);
        _equal(token.balanceOf(_accountOf(approval)), 90 * DOLLAR, "account");
        _equal(token.balanceOf(SHOP), 10 * DOLLAR - 290_000, "payee");
        _equal(token.balanceOf(TREASURY), 290_000, "fee");
        _equal(token.balanceOf(address(settlement)), 0, "settlement");
        require(settlement.done(BATCH), "done");
    }

    function test_the_sum_of_a_payee_counts_captures_refunds_and_fees() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 0, 10 * DOLLAR));
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 500);
        require(settlement.paid(SHOP) == int256(uint256(9_500_000)), "captured");
        _refund("refunds", _back(approval, 0, 9 * DOLLAR));
        address[] memory payees = new address[](2);
        (payees[0], payees[1]) = (SHOP, OWNER);
        int256[] memory sums = settlement.paidTo(payees);
        require(sums[0] == 500_000 && sums[1] == 0, "refunded");
    }

    function test_only_the_sponsor_settles_and_only_the_owner_replaces_it() public {
        Settlement.Capture[] memory captures = _one(_capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR));
        vm.expectRevert(abi.encodeWithSelector(Settlement.NotOperator.selector));
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 0);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        settlement.setOperator(address(this));
        vm.prank(OWNER);
        settlement.setOperator(address(this));
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 0);
        _equal(token.balanceOf(SHOP), DOLLAR, "payee");
    }

    function test_a_batch_lands_once() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, DOLLAR)));
        Settlement.Capture[] memory next = _one(_capture(KEY, approval, 1, DOLLAR));
        vm.expectRevert(abi.encodeWithSelector(Settlement.AlreadySettled.selector, BATCH));
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SHOP, next, new Settlement.Refund[](0), 0);
    }

    function test_a_capture_lands_once() public {
        Settlement.Capture[] memory captures = _one(_capture(KEY, _approval(KEY, 10 * DOLLAR), 3, DOLLAR));
        _settle(BATCH, captures);
        _expectNothing(Settlement.Reason.AlreadyLanded);
        _settle("other", captures);
        _equal(token.balanceOf(SHOP), DOLLAR, "payee");
    }

    function test_captures_under_one_approval_stay_within_its_limit() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        Settlement.Capture[] memory captures = new Settlement.Capture[](3);
        captures[0] = _capture(KEY, approval, 0, 6 * DOLLAR);
        captures[1] = _capture(KEY, approval, 1, 5 * DOLLAR);
        captures[2] = _capture(KEY, approval, 2, 4 * DOLLAR);
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.CaptureFailed(
            BATCH, settlement.approvalHash(approval), 1, Settlement.Reason.AmountNotAllowed
        );
        _settle(BATCH, captures);
        _equal(token.balanceOf(SHOP), 10 * DOLLAR, "payee");
    }

    function test_further_captures_need_no_assertion_and_the_first_needs_one() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        Settlement.Capture memory bare;
        (bare.approval, bare.index, bare.amount) = (approval, 1, DOLLAR);
        _expectNothing(Settlement.Reason.InvalidAssertion);
        _settle(BATCH, _one(bare));
        _settle(BATCH, _one(_capture(KEY, approval, 0, DOLLAR)));
        _settle("further", _one(bare));
        _equal(token.balanceOf(SHOP), 2 * DOLLAR, "payee");
    }

    function test_a_failed_first_capture_lets_nothing_through_without_assertion() public {
        Settlement.Approval memory approval = _approval(KEY, 500 * DOLLAR);
        Settlement.Capture[] memory captures = new Settlement.Capture[](2);
        captures[0] = _capture(KEY, approval, 0, 200 * DOLLAR);
        (captures[1].approval, captures[1].index, captures[1].amount) = (approval, 1, DOLLAR);
        _expectNothing(Settlement.Reason.InvalidAssertion);
        _settle(BATCH, captures);
    }

    function test_an_expired_approval_and_another_payee_are_refused() public {
        Settlement.Approval memory approval = _approval(KEY, DOLLAR);
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 0, DOLLAR));
        _expectNothing(Settlement.Reason.WrongPayee);
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SPONSOR, captures, new Settlement.Refund[](0), 0);
        vm.warp(approval.validUntil + 1);
        _expectNothing(Settlement.Reason.Expired);
        _settle(BATCH, captures);
        vm.warp(approval.validUntil);
        _settle(BATCH, captures);
        _equal(token.balanceOf(SHOP), DOLLAR, "the last second counts");
    }

    function test_an_approval_beyond_18_trillion_dollars_is_spent_up_to_them() public {
        Settlement.Approval memory approval = _approval(KEY, type(uint96).max);
        uint96 most = type(uint64).max;
        token.mint(_accountOf(approval), uint256(2) * most);
        Settlement.Capture[] memory over = _one(_capture(KEY, approval, 0, most + 1));
        Settlement.Capture[] memory more = _one(_capture(KEY, approval, 1, 1));
        _expectNothing(Settlement.Reason.AmountNotAllowed);
        _settle(BATCH, over);
        _settle(BATCH, _one(_capture(KEY, approval, 0, most)));
        _expectNothing(Settlement.Reason.AmountNotAllowed);
        _settle("more", more);
        _refund("all of it", _back(approval, 0, most));
        _equal(token.balanceOf(SHOP), 0, "payee");
    }

    function test_the_index_ends_at_63() public {
        Settlement.Approval memory approval = _approval(KEY, DOLLAR);
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 64, DOLLAR));
        _expectNothing(Settlement.Reason.InvalidIndex);
        _settle(BATCH, captures);
        _settle(BATCH, _one(_capture(KEY, approval, 63, DOLLAR)));
        _expectNothing(Settlement.Reason.InvalidIndex);
        _refund("refund", _back(approval, 64, DOLLAR));
        _refund("refund", _back(approval, 63, DOLLAR));
        _equal(token.balanceOf(SHOP), 0, "payee");
    }

    function test_an_assertion_without_user_verification_is_refused() public {
        Settlement.Capture memory capture = _capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR);
        bytes32 hash = settlement.approvalHash(capture.approval);
        capture.assertion = _assert(KEY, hash, 0x01);
        require(!settlement.isApproved(capture.approval, capture.assertion), "view");
        _expectNothing(Settlement.Reason.InvalidAssertion);
        _settle(BATCH, _one(capture));
    }

    /// Whatever field is changed after the holder signed, nothing moves.
    function testFuzz_no_field_can_be_changed_after_the_signature(uint8 field, uint96 by) public {
        vm.assume(by != 0);
        Settlement.Capture memory capture = _capture(KEY, _approval(KEY, 10 * DOLLAR), 0, DOLLAR);
        (uint256 otherX, uint256 otherY) = vm.publicKeyP256(uint256(by) + KEY);
        field = field % 5;
        if (field == 0) capture.approval.limit ^= by;
        if (field == 1) capture.approval.validUntil += uint64(by % 1e9) + 1;
        if (field == 2) capture.approval.salt ^= bytes32(uint256(by));
        if (field == 3) capture.approval.recovery = address(uint160(by));
        if (field == 4) (capture.approval.x, capture.approval.y) = (bytes32(otherX), bytes32(otherY));
        token.mint(_accountOf(capture.approval), 100 * DOLLAR);
        vm.assume(capture.approval.limit >= DOLLAR);
        _expectNothing(Settlement.Reason.InvalidAssertion);
        _settle(BATCH, _one(capture));
    }

    function test_a_fee_above_five_per_cent_is_refused_and_fees_are_whole_cents() public {
        Settlement.Capture[] memory captures = _one(_capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR));
        vm.expectRevert(abi.encodeWithSelector(Settlement.FeeTooHigh.selector));
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 501);
        vm.prank(SPONSOR);
        settlement.settle(BATCH, SHOP, captures, new Settlement.Refund[](0), 199);
        _equal(token.balanceOf(TREASURY), 10_000, "1.99 cents become one");
    }

    function test_a_blocked_account_does_not_stop_the_others() public {
        Settlement.Approval memory other = _approval(KEY + 1, DOLLAR);
        token.mint(_accountOf(other), DOLLAR);
        token.setBlocked(_accountOf(other), true);
        Settlement.Capture[] memory captures = new Settlement.Capture[](2);
        captures[0] = _capture(KEY + 1, other, 0, DOLLAR);
        captures[1] = _capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR);
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.CaptureFailed(BATCH, settlement.approvalHash(other), 0, Settlement.Reason.TransferFailed);
        _settle(BATCH, captures);
        _equal(token.balanceOf(SHOP), DOLLAR, "payee");
        token.setBlocked(_accountOf(other), false);
        _settle("again", _one(captures[0]));
        _equal(token.balanceOf(SHOP), 2 * DOLLAR, "the same index lands later");
    }

    function test_a_paused_token_or_a_blocked_payee_fails_the_batch_as_one() public {
        Settlement.Capture[] memory captures = _one(_capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR));
        token.setPaused(true);
        _expectNothing(Settlement.Reason.TransferFailed);
        _settle(BATCH, captures);
        token.setPaused(false);
        token.setBlocked(SHOP, true);
        vm.expectRevert();
        _settle(BATCH, captures);
        token.setBlocked(SHOP, false);
        _settle(BATCH, captures);
        _equal(token.balanceOf(SHOP), DOLLAR, "the same batch lands afterwards");
    }

    function test_a_refund_goes_back_to_the_account_once() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 10 * DOLLAR)));
        _refund("back", _back(approval, 7, 4 * DOLLAR));
        _equal(token.balanceOf(_accountOf(approval)), 94 * DOLLAR, "account");
        _equal(token.balanceOf(SHOP), 6 * DOLLAR, "payee");
        _expectNothing(Settlement.Reason.AlreadyLanded);
        _refund("twice", _back(approval, 7, 4 * DOLLAR));
        _expectNothing(Settlement.Reason.AlreadyLanded);
        _refund("another amount", _back(approval, 7, DOLLAR));
        _expectNothing(Settlement.Reason.AmountNotAllowed);
        _refund("nothing", _back(approval, 8, 0));
        _expectNothing(Settlement.Reason.AmountNotAllowed);
        _refund("over", _back(approval, 8, 6 * DOLLAR + 1));
        _refund("rest", _back(approval, 8, 6 * DOLLAR));
        _equal(token.balanceOf(SHOP), 0, "all of it");
    }

    function test_a_refund_twice_in_one_batch_lands_once() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 10 * DOLLAR)));
        Settlement.Refund[] memory refunds = new Settlement.Refund[](2);
        refunds[0] = _back(approval, 5, DOLLAR);
        refunds[1] = refunds[0];
        vm.prank(SPONSOR);
        settlement.settle("twice", SHOP, new Settlement.Capture[](0), refunds, 0);
        _equal(token.balanceOf(SHOP), 9 * DOLLAR, "payee");
    }

    function test_bits_of_captures_and_of_refunds_do_not_meet() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 2, 4 * DOLLAR)));
        _refund("same index", _back(approval, 2, DOLLAR));
        _settle("further", _one(_capture(KEY, approval, 3, 6 * DOLLAR)));
        _refund("further refund", _back(approval, 3, DOLLAR));
        (uint64 spent, uint64 refunded, uint64 captures, uint64 refunds) =
            settlement.spending(settlement.approvalHash(approval));
        _equal(spent, 10 * DOLLAR, "spent");
        _equal(refunded, 2 * DOLLAR, "refunded");
        require(captures == 12 && refunds == 12, "bits");
    }

    function test_a_refund_is_paid_from_the_gross_of_its_batch() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 5 * DOLLAR)));
        vm.prank(SHOP);
        token.approve(address(settlement), 0);
        Settlement.Refund[] memory refunds = new Settlement.Refund[](1);
        refunds[0] = _back(approval, 0, 2 * DOLLAR);
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 1, 5 * DOLLAR));
        vm.prank(SPONSOR);
        settlement.settle("both", SHOP, captures, refunds, 0);
        _equal(token.balanceOf(SHOP), 8 * DOLLAR, "payee");
        vm.expectRevert();
        _refund("without allowance", _back(approval, 1, DOLLAR));
    }

    function test_a_refund_that_cannot_be_paid_is_the_payees_and_may_be_tried_again() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 5 * DOLLAR)));
        token.setBlocked(_accountOf(approval), true);
        Settlement.Approval memory other = _approval(KEY + 1, DOLLAR);
        token.mint(_accountOf(other), DOLLAR);
        Settlement.Refund[] memory refunds = new Settlement.Refund[](1);
        refunds[0] = _back(approval, 9, 2 * DOLLAR);
        Settlement.Capture[] memory captures = _one(_capture(KEY + 1, other, 0, DOLLAR));
        vm.expectEmit(true, true, true, true, address(settlement));
        emit Settlement.RefundFailed(
            "blocked", settlement.approvalHash(approval), refunds[0].id, Settlement.Reason.TransferFailed
        );
        vm.prank(SPONSOR);
        settlement.settle("blocked", SHOP, captures, refunds, 0);
        _equal(token.balanceOf(SHOP), 6 * DOLLAR, "payee keeps it");
        token.setBlocked(_accountOf(approval), false);
        _refund("again", refunds[0]);
        _equal(token.balanceOf(SHOP), 4 * DOLLAR, "paid now");
        _refund("the rest", _back(approval, 10, 3 * DOLLAR));
        _equal(token.balanceOf(SHOP), DOLLAR, "the failure took nothing of what may be refunded");
    }

    function test_a_refund_from_another_payee_is_refused() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 5 * DOLLAR)));
        token.mint(SPONSOR, 10 * DOLLAR);
        vm.prank(SPONSOR);
        token.approve(address(settlement), 10 * DOLLAR);
        Settlement.Refund[] memory refunds = new Settlement.Refund[](1);
        refunds[0] = _back(approval, 0, DOLLAR);
        _expectNothing(Settlement.Reason.WrongPayee);
        vm.prank(SPONSOR);
        settlement.settle("stranger", SPONSOR, new Settlement.Capture[](0), refunds, 0);
    }

    function test_too_little_gas_reverts_and_does_not_read_as_an_empty_account() public {
        Settlement.Capture[] memory captures = new Settlement.Capture[](2);
        captures[0] = _capture(KEY, _approval(KEY, DOLLAR), 0, DOLLAR);
        captures[1] = _capture(KEY, _approval(KEY, 2 * DOLLAR), 0, DOLLAR);
        settlement.open(captures[0].approval.x, captures[0].approval.y, address(0));
        uint256 named;
        for (uint256 gas = 130_000; gas < 340_000; gas += 5_000) {
            vm.prank(SPONSOR);
            try settlement.settle{gas: gas}(bytes32(gas), SHOP, captures, new Settlement.Refund[](0), 0) {
                _equal(token.balanceOf(SHOP), 2 * DOLLAR, "both or none");
                require(named > 0, "the reserve refuses by its name");
                return;
            } catch (bytes memory reason) {
                _equal(token.balanceOf(SHOP), 0, "none");
                if (bytes4(reason) == Settlement.TooLittleGas.selector) named++;
            }
        }
        revert("enough gas lands it");
    }

    function test_too_little_gas_reverts_and_does_not_read_as_a_blocked_refund() public {
        Settlement.Approval memory approval = _approval(KEY, 2 * DOLLAR);
        _settle(BATCH, _one(_capture(KEY, approval, 0, 2 * DOLLAR)));
        Settlement.Refund[] memory refunds = new Settlement.Refund[](2);
        (refunds[0], refunds[1]) = (_back(approval, 0, DOLLAR), _back(approval, 1, DOLLAR));
        uint256 named;
        for (uint256 gas = 80_000; gas < 340_000; gas += 5_000) {
            vm.prank(SPONSOR);
            try settlement.settle{gas: gas}(bytes32(gas), SHOP, new Settlement.Capture[](0), refunds, 0) {
                _equal(token.balanceOf(SHOP), 0, "both or none");
                require(named > 0, "the reserve refuses by its name");
                return;
            } catch (bytes memory reason) {
                _equal(token.balanceOf(SHOP), 2 * DOLLAR, "none");
                if (bytes4(reason) == Settlement.TooLittleGas.selector) named++;
            }
        }
        revert("enough gas lands it");
    }

    function test_balances_are_read_many_at_once() public view {
        address[] memory accounts = new address[](2);
        (accounts[0], accounts[1]) = (_accountOf(_approval(KEY, DOLLAR)), SHOP);
        uint256[] memory balances = settlement.balancesOf(accounts);
        _equal(balances[0], 100 * DOLLAR, "first");
        _equal(balances[1], 0, "second");
    }
}
